from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from lcbench.data.recipes.stream import RecipeStream
from lcbench.errors import ParameterError, PluginError


@pytest.fixture
def archives(tiny, cache, tmp_path, monkeypatch):
    """A folder with the archive, and no network."""
    folder = tmp_path / "archives"
    folder.mkdir()
    (folder / "tiny.tar.gz").write_bytes(tiny.tar())
    monkeypatch.setenv("LCBENCH_DATA", str(folder))
    monkeypatch.setenv("LCBENCH_OFFLINE", "1")
    return folder


@pytest.fixture
def stream(tiny, tmp_path, archives):
    spec = tiny.spec(tmp_path)

    def make(weighting="tfidf", max_features=11, idf="pool") -> RecipeStream:
        return RecipeStream(**spec.fixed, weighting=weighting, max_features=max_features, idf=idf)

    return make


@pytest.fixture
def no_documents(monkeypatch):
    def forbidden(*_, **__):
        raise AssertionError("documents were asked for")

    return lambda: monkeypatch.setattr("lcbench.data.recipes.stream.raw_documents", forbidden)


def parts(X):
    return (getattr(X, part).tobytes() for part in ("data", "indices", "indptr"))


def content(tasks):
    return [(t.name, t.classes, t.y.tolist(), t.task.feature_names, t.task.X.shape, *parts(t.task.X)) for t in tasks]


def test_the_tasks_are_those_of_the_recipe(stream):
    tasks = stream().tasks()
    assert [(t.name, t.task.n_samples, t.task.n_clusters, t.classes) for t in tasks] == [
        ("cornell", 12, 2, ("course", "faculty")),
        ("texas", 12, 2, ("course", "faculty")),
    ]
    assert tasks[0].task.feature_names == tasks[1].task.feature_names
    assert len(tasks[0].task.feature_names) == 11


def test_the_weighted_matrix_is_the_formula_on_the_words_of_the_pages(stream, tiny):
    tasks = stream().tasks()
    words = tasks[0].task.feature_names
    pages = [page.split("<b>")[1].split("</b>")[0].split() for _, page in tiny.documents]
    df = np.array([sum(word in page for page in pages) for word in words])
    expected = {tuple(np.round(np.array([page.count(word) for word in words]) * np.log(24 / df), 9)) for page in pages}
    found = {tuple(np.round(row, 9)) for t in tasks for row in t.task.X.toarray()}
    assert found == expected


def test_rows_are_not_in_the_order_of_classes(stream):
    for labelled in stream().tasks():
        y = labelled.y.tolist()
        assert y not in (sorted(y), sorted(y, reverse=True))


def test_a_second_stream_takes_the_counted_words_from_the_cache(stream, no_documents):
    first = {weighting: content(stream(weighting).tasks()) for weighting in ("tfidf", "counts")}
    no_documents()
    for weighting, expected in first.items():
        assert content(stream(weighting).tasks()) == expected
    assert content(stream("log").tasks()) != first["counts"]  # one file serves every weighting


def test_a_damaged_file_in_the_cache_is_made_again(stream, cache, caplog):
    first = content(stream().tasks())
    (path,) = (cache / "matrices").iterdir()
    good = path.read_bytes()
    path.write_bytes(good[: len(good) // 2])
    assert content(stream().tasks()) == first
    assert "is damaged" in caplog.text
    assert path.read_bytes() == good


def test_the_same_pages_in_another_archive_give_the_same_matrix_bit_for_bit(
    stream, tiny, archives, cache, tmp_path, monkeypatch
):
    first = content(stream().tasks())
    items = [(f"{name.rsplit('/', 1)[0]}/{i}", page) for i, (name, page) in enumerate(tiny.files.items())]
    random.Random(3).shuffle(items)
    (archives / "tiny.tar.gz").unlink()
    tiny.folder(archives / "tiny", {name: page.replace(b"\n", b"\r\n") for name, page in items})
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "another cache"))
    assert content(stream().tasks()) == first


def test_a_stream_pickles_and_makes_the_same_tasks(stream):
    one = stream()
    assert content(pickle.loads(pickle.dumps(one)).tasks()) == content(one.tasks())


def test_fewer_words_drop_documents_with_a_warning_also_when_the_words_come_from_the_cache(stream, caplog):
    for _ in range(2):
        caplog.clear()
        assert sum(t.task.n_samples for t in stream(max_features=1).tasks()) < 24
        assert "with max_features=1" in caplog.text
        assert "have no word left: dropped" in caplog.text


def test_an_idf_that_changes_nothing_is_refused_before_any_data_are_read(stream, no_documents):
    no_documents()
    with pytest.raises(ParameterError, match="Stream 'tiny': idf=task changes nothing with weighting=counts"):
        stream("counts", idf="task").tasks()


def test_a_recipe_that_promises_other_numbers_of_documents_is_refused(tiny, tmp_path, archives, cache):
    spec = tiny.spec(tmp_path, words=1)
    stream = RecipeStream(**spec.fixed, weighting="tfidf", max_features=1, idf="pool")
    said = r"\d of 6 documents of cluster '(course|faculty)' of task '(cornell|texas)' .* write dropped = \{ \w+ = N \}"
    with pytest.raises(PluginError, match=said):
        stream.tasks()
    assert not (cache / "matrices").exists()


@pytest.mark.parametrize("most", [1000, None])
def test_without_max_features_or_with_one_above_the_number_of_words_all_are_kept(tiny, tmp_path, archives, most):
    spec = tiny.spec(tmp_path, words=1000)
    stream = RecipeStream(**spec.fixed, weighting="tfidf", max_features=most, idf="task")
    assert [t.task.n_features for t in stream.tasks()] == [11, 11]

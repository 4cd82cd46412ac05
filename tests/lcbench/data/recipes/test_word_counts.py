from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import sparse

from lcbench.data.recipes.word_counts import (
    CountedTask,
    CountedTasks,
    count_tasks,
    load_counted,
    matrix_path,
    remove_counted,
    save_counted,
)
from lcbench.data.sources.documents import Document
from lcbench.errors import InvalidTaskError, ParameterError


@pytest.fixture
def recipe(tiny, tmp_path, cache):
    return tiny.spec(tmp_path).fixed["recipe"]


@pytest.fixture
def documents(tiny):
    return [Document(*document) for document in sorted(tiny.documents)]


def same(one: CountedTasks, other: CountedTasks) -> bool:
    return one.words == other.words and all(
        (a.name, a.dropped, a.clusters.tolist()) == (b.name, b.dropped, b.clusters.tolist())
        and a.counts.shape == b.counts.shape
        and all(
            np.array_equal(getattr(a.counts, part), getattr(b.counts, part)) for part in ("data", "indices", "indptr")
        )
        for a, b in zip(one.tasks, other.tasks, strict=True)
    )


def counted(samples: int = 40, words: int = 90) -> CountedTasks:
    generator = np.random.default_rng(0)
    tasks = [
        CountedTask(
            name,
            sparse.csr_array(generator.poisson(0.5, (samples, words)).astype(np.int64)),
            np.array(["rec", "sci"])[generator.integers(0, 2, samples)],
            i,
        )
        for i, name in enumerate(("one", "two"))
    ]
    return CountedTasks(tuple(f"word{i:03d}" for i in range(words)), tuple(tasks))


def test_words_are_chosen_over_all_tasks_and_counted_in_each(recipe, documents):
    found = count_tasks(recipe, documents, None)
    assert [task.name for task in found.tasks] == ["cornell", "texas"]
    assert {"homework", "professor", "science"} <= set(found.words)
    assert "server" not in found.words  # of the header
    for task in found.tasks:
        assert task.counts.shape == (12, len(found.words))
        assert sorted(task.clusters.tolist()) == ["course"] * 6 + ["faculty"] * 6
    first = next(document for document in documents if document.key == "course/cornell")
    homework = found.words.index("homework")
    row = [d.key for d in documents if d.key.endswith("cornell")].index("course/cornell")
    assert found.tasks[0].counts.toarray()[row, homework] == first.text.count("homework")


def test_documents_with_no_word_left_are_dropped_and_counted(recipe, documents):
    emptied = [replace_text(d, "<html>") if d.key == "course/texas" and d is not documents[6] else d for d in documents]
    found = count_tasks(recipe, emptied, None)
    left = [d for d in emptied if d.key.endswith("texas") and "<html><b>" in d.text]
    assert found.tasks[1].counts.shape[0] == len(left) == 12 - found.tasks[1].dropped
    assert found.tasks[1].dropped > 0
    assert found.tasks[0].dropped == 0
    assert found.tasks[1].counts.sum(axis=1).min() > 0


def replace_text(document: Document, body: str) -> Document:
    return Document(document.key, f"Server: x\n\n{body}")


def test_a_max_features_that_leaves_a_task_without_words_is_refused(recipe):
    documents = [
        Document(key, f"H\n\n{word * times}")
        for key, word, times in [
            ("course/cornell", "homework ", 9), ("faculty/cornell", "homework ", 9),
            ("course/texas", "exam ", 1), ("faculty/texas", "award ", 1),
        ]
    ]  # fmt: skip
    with pytest.raises(ParameterError, match="max_features=1 leaves no word in any document of task 'texas': raise it"):
        count_tasks(recipe, documents, 1)


def test_documents_without_any_word_are_refused(recipe):
    with pytest.raises(InvalidTaskError, match="Stream 'tiny' cannot be made: no word is left"):
        count_tasks(recipe, [Document("course/cornell", "H\n\n<p>")], None)


def test_counted_tasks_are_loaded_as_they_were_saved(tmp_path):
    before = counted()
    assert load_counted(tmp_path / "m.npz") is None
    save_counted(tmp_path / "m.npz", before)
    assert same(load_counted(tmp_path / "m.npz"), before)


def test_a_changed_byte_gives_none_or_the_same_tasks(tmp_path):
    path = tmp_path / "m.npz"
    before = counted()
    save_counted(path, before)
    content = path.read_bytes()
    generator = random.Random(0)
    directory = content.index(b"PK\x01\x02")
    places = [generator.randrange(len(content)) for _ in range(60)]
    places += [generator.randrange(directory, len(content)) for _ in range(60)]
    lost = 0
    for at in places:
        path.write_bytes(content[:at] + bytes([content[at] ^ generator.choice((1, 8, 128))]) + content[at + 1 :])
        found = load_counted(path)
        assert found is None or same(found, before)
        lost += found is None
    assert lost > 40


def arrays(path, **content):
    np.savez(path, **content)


ODD = {
    "empty": lambda path: path.write_bytes(b""),
    "no archive": lambda path: path.write_bytes(b"nonsense"),
    "one array": lambda path: path.write_bytes(one_array(path)),
    "a pickle": lambda path: arrays(path, facts=np.array([{"words": []}], dtype=object)),
    "other facts": lambda path: arrays(path, facts=np.frombuffer(b"[]", dtype=np.uint8)),
    "no facts": lambda path: arrays(path, other=np.zeros(3)),
    "a code of no class": lambda path: arrays(
        path,
        **{
            "facts": np.frombuffer(b'{"words": ["a"], "tasks": [["one", ["x"], 0]]}', dtype=np.uint8),
            "data-0": np.ones(1, np.int32), "indices-0": np.zeros(1, np.int32),
            "indptr-0": np.array([0, 1], np.int32), "clusters-0": np.array([7], np.int32),
        },
    ),
}  # fmt: skip


def one_array(path) -> bytes:
    np.save(path.with_suffix(".npy"), np.arange(3))
    return path.with_suffix(".npy").read_bytes()


@pytest.mark.parametrize("odd", ODD)
def test_a_file_of_another_kind_loads_as_none_with_a_warning(tmp_path, caplog, odd):
    ODD[odd](tmp_path / "m.npz")
    assert load_counted(tmp_path / "m.npz") is None
    assert "is damaged" in caplog.text


def test_recipes_that_differ_in_words_or_tasks_have_different_files(recipe, cache):
    def changed(**parts):
        return matrix_path(recipe.model_copy(update=parts), 11)

    others = [
        matrix_path(recipe, 11),
        matrix_path(recipe, 12),
        matrix_path(recipe, None),
        changed(revision=2),
        changed(words=recipe.words.model_copy(update={"min_df": 2})),
        changed(words=recipe.words.model_copy(update={"clean": ""})),
        changed(source=recipe.source.model_copy(update={"digest": "0" * 64})),
        changed(tasks=dict(reversed(recipe.tasks.items()))),
    ]
    assert len(set(others)) == len(others)
    assert matrix_path(recipe, 11) == others[0]
    assert others[0].parent == cache / "matrices"


def test_only_the_files_of_the_named_stream_are_removed(recipe, cache):
    mine = [matrix_path(recipe, n) for n in (3, 4)]
    other = matrix_path(recipe.model_copy(update={"name": "tiny-too"}), 3)
    for path in (*mine, other):
        save_counted(path, counted(4, 3))
    remove_counted("tiny")
    assert [path.exists() for path in (*mine, other)] == [False, False, True]


def test_a_cache_that_cannot_be_written_gives_a_warning(tmp_path, caplog):
    (tmp_path / "matrices").write_text("a file where the folder should be")
    save_counted(tmp_path / "matrices" / "m.npz", counted(4, 3))
    assert "could not be kept for the next time" in caplog.text

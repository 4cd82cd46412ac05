from __future__ import annotations

import re

import numpy as np
import pytest

from lcbench.data.recipes.recipe import recipe_spec
from lcbench.data.recipes.stream import CutStream
from lcbench.data.sources.documents import published_documents
from lcbench.errors import ParameterError, PluginError

# Of `tiny` course/cornell and faculty/texas are two clusters of six pages: two held out, then two tasks of two each.
CUT = """
[cut]
tasks = 2
each = 2
held_out = 2

[cut.clusters]
course = { "course/cornell" = 6 }
faculty = { "faculty/texas" = 6 }
"""


@pytest.fixture
def recipe(tiny, tmp_path):
    """Writes a recipe of `tiny` with a cut in the place of its tasks."""
    tiny.pages = {name: page for name, page in tiny.pages.items() if re.search("course/cornell|faculty/texas", name)}

    def write(pattern: str = "", replacement: str = "", cut: str = CUT, tasks: bool = False):
        tiny.spec(tmp_path, words=7)
        path = tmp_path / "tiny.toml"
        text = path.read_text()
        text, count = re.subn(pattern, replacement, (text if tasks else text.split("[tasks.")[0]) + cut, flags=re.M)
        assert count or not pattern
        path.write_text(text)
        return recipe_spec(path)

    return write


@pytest.fixture
def stream(recipe, tiny, cache, tmp_path, monkeypatch):
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives" / "tiny.tar.gz").write_bytes(tiny.tar())
    monkeypatch.setenv("LCBENCH_DATA", str(tmp_path / "archives"))
    monkeypatch.setenv("LCBENCH_OFFLINE", "1")

    def make(**params) -> CutStream:
        spec = recipe()
        return CutStream(**spec.fixed, **{**{p.name: p.default for p in spec.params}, **params})

    return make


def words_of(tiny, tmp_path, spec):
    """The words of every page by its text, cleaned by hand."""
    found = published_documents(tmp_path / "archives" / "tiny.tar.gz", spec.data)
    return {d.text: re.search("<b>(.*)</b>", d.text).group(1).split() for d in found}, found


def test_a_cut_recipe_has_a_parameter_tasks_and_takes_idf_from_the_documents_held_out(recipe):
    spec = recipe()
    assert {p.name: p.default for p in spec.params} == {
        "weighting": "tfidf", "max_features": 7, "idf": "held-out", "tasks": 2,
    }  # fmt: skip
    assert spec.data.counts == {"course/cornell": 6, "faculty/texas": 6}


def test_only_an_idf_of_all_tasks_looks_ahead(recipe):
    spec = recipe()
    held_out = {"weighting": "tfidf", "idf": "held-out"}
    assert spec.looks_ahead_with(held_out) is False
    assert spec.looks_ahead_with({**held_out, "idf": "task"}) is False
    assert spec.looks_ahead_with({**held_out, "idf": "pool"}) is True


def test_the_shapes_are_those_of_the_tasks(recipe, stream):
    for tasks in (1, 2):
        said = recipe().shapes({"max_features": 7, "tasks": tasks})
        assert said == tuple(labelled.shape for labelled in stream(tasks=tasks).tasks())
    assert [shape.samples for shape in recipe().shapes({"max_features": 5, "tasks": 2})] == [None, None]


def test_words_and_idf_come_from_the_documents_held_out_alone(recipe, stream, tiny, tmp_path):
    import hashlib

    words, documents = words_of(tiny, tmp_path, recipe())
    ranked = {
        key: sorted(
            (d.text for d in documents if d.key == key), key=lambda t: hashlib.sha256(f"tiny\0{t}".encode()).hexdigest()
        )
        for key in ("course/cornell", "faculty/texas")
    }
    held_out = [set(words[text]) for texts in ranked.values() for text in texts[:2]]
    tasks = stream(max_features=None).tasks()
    names = tasks[0].task.feature_names
    assert set(names) == set().union(*held_out)
    rarity = np.log([4 / sum(name in page for page in held_out) for name in names])
    for t, labelled in enumerate(tasks):
        mine = [text for texts in ranked.values() for text in texts[2 + 2 * t : 4 + 2 * t]]
        mine.sort(key=lambda text: hashlib.sha256(f"tiny\0row\0{text}".encode()).hexdigest())
        expected = [[words[text].count(name) for name in names] * rarity for text in mine]
        np.testing.assert_allclose(labelled.task.X.toarray(), expected)
        assert [labelled.classes[c] for c in labelled.y] == [
            "course" if text in ranked["course/cornell"] else "faculty" for text in mine
        ]


def test_the_tasks_from_the_cache_are_those_that_were_counted(stream, monkeypatch):
    made = stream().tasks()
    monkeypatch.setattr("lcbench.data.recipes.stream.raw_documents", None)
    for one, other in zip(made, stream().tasks(), strict=True):
        assert (one.task.X != other.task.X).nnz == 0
        assert one.y.tolist() == other.y.tolist()


def test_short_documents_are_in_no_task(recipe, tiny, cache, tmp_path, monkeypatch):
    path = next(iter(tiny.pages))
    tiny.pages[path] = b"Server: x\n\n<html><b>exam</b></html>"
    (tmp_path / "tiny.tar.gz").write_bytes(tiny.tar())
    monkeypatch.setenv("LCBENCH_DATA", str(tmp_path))
    spec = recipe(r"^each = 2", "each = 1\nleast_words = 2")
    tasks = CutStream(**spec.fixed, **{p.name: p.default for p in spec.params}).tasks()
    assert min(labelled.task.X.sum() for labelled in tasks) > 0
    spec = recipe(r"^each = 2", "each = 2\nleast_words = 2")
    with pytest.raises(PluginError, match="too few documents for part 3"):  # five are left of one cluster
        CutStream(**spec.fixed, **{p.name: p.default for p in spec.params}).tasks()


def test_an_idf_that_would_change_nothing_is_refused(stream):
    assert stream(weighting="counts").tasks()
    with pytest.raises(ParameterError, match=r"idf=pool changes nothing with weighting=counts"):
        stream(weighting="counts", idf="pool").tasks()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tasks": True}, "it takes [tasks], a table for each task, or [cut]: one of them, and not both"),
        ({"cut": ""}, "it takes [tasks], a table for each task, or [cut]: one of them, and not both"),
        ({"pattern": "^each = 2", "replacement": "each = 3"}, "fewer documents than the 8 that are dealt of each"),
        ({"pattern": '"faculty/texas"', "replacement": '"course/cornell"'}, "two clusters have the same documents"),
        ({"pattern": '"faculty/texas" = 6', "replacement": "a = 6, b = 6"}, "'faculty' of a cut takes one key"),
        ({"pattern": "^held_out = 2", "replacement": ""}, "'cut.held_out' is missing."),
    ],
)
def test_a_cut_that_cannot_be_made_is_refused_with_a_sentence(recipe, changes, said):
    with pytest.raises(PluginError, match=re.escape(said)):
        recipe(**changes)

from __future__ import annotations

import pickle
import re
from dataclasses import MISSING, fields

import pytest

from lcbench.contract.reference import Reference
from lcbench.data.recipes.recipe import Citation, recipe_spec
from lcbench.errors import PluginError


@pytest.fixture
def written(tiny, tmp_path):
    """The spec of the small recipe after a change of its text."""
    tiny.spec(tmp_path)
    path = tmp_path / "tiny.toml"

    def change(pattern: str = "", replacement: str = ""):
        text, count = re.subn(pattern, replacement, path.read_text(), flags=re.MULTILINE) if pattern else ("", 1)
        assert count
        if pattern:
            path.write_text(text)
        return recipe_spec(path)

    return change


def test_a_recipe_becomes_a_spec(written, tiny):
    spec = written()
    assert (spec.name, spec.summary) == ("tiny", "a few pages in the shape of WebKB")
    assert spec.digest == f"recipe-1-{tiny.digest}"
    assert spec.data == tiny.raw()
    assert spec.card.what == "Pages made for tests."
    assert spec.card.notes == ("Nothing is dropped.",)
    assert {p.name: p.default for p in spec.params} == {"weighting": "tfidf", "max_features": 11, "idf": "pool"}


def test_sizes_of_tasks_are_known_without_the_data_for_the_recipes_own_max_features(written):
    spec = written()
    shape = spec.shapes({"max_features": 11})[0]
    assert (shape.name, shape.samples, shape.features, shape.clusters) == ("cornell", 12, 11, 2)
    assert shape.classes == (("course", 6), ("faculty", 6))
    other = spec.shapes({"max_features": 7})[0]
    assert (other.name, other.samples, other.features, other.clusters) == ("cornell", None, None, 2)


def test_dropped_documents_do_not_count_as_samples(written):
    spec = written(r"^\[tasks\.texas\.clusters\]", "[tasks.texas]\ndropped = { course = 2 }\n[tasks.texas.clusters]")
    assert [shape.samples for shape in spec.shapes({"max_features": 11})] == [12, 10]
    assert spec.data.counts["course/texas"] == 6


def test_a_spec_pickles(written):
    spec = written()
    again = pickle.loads(pickle.dumps(spec))
    assert again.shapes({"max_features": 11}) == spec.shapes({"max_features": 11})
    assert again.data == spec.data


@pytest.mark.parametrize(
    ("field", "place"),
    [
        ("name", "name"), ("revision", "revision"), ("summary", "summary"), ("what", "card.what"),
        ("source", "card.source"), ("licence", "card.licence"), ("reader", "source.reader"),
        ("archives", "source.archives"), ("size", "source.size"), ("digest", "source.digest"),
        ("min_df", "words.min_df"), ("max_features", "words.max_features"), ("weighting", "words.weighting"),
    ],
)  # fmt: skip
def test_a_recipe_without_a_required_key_is_refused_with_file_and_key(written, field, place):
    with pytest.raises(PluginError, match=rf"^The recipe '.*tiny\.toml': '{place}' is missing\.$"):
        written(rf"^{field} = .*", "")


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [
        (r"^weighting = .*", 'weighting = "bm25"', "words.weighting: weighting takes one of tfidf, "),
        (r"^max_features = .*", "max_features = 0", "words.max_features must be a whole number of at least 1, not 0."),
        (r"^min_df = 1", 'min_df = 1\nidf = "corpus"', "words.idf: idf takes one of pool, task, not 'corpus'."),
        (r"^notes = .*", "notes = 3", "card.notes must be a list of texts, not 3."),
        (r"^archives = .*", "archives = []", "source.archives must be a list of texts, not []."),
        (
            r'^course = \{ "course/texas" = 6 \}',
            'course = ["course/texas"]',
            "tasks.texas.clusters.course must be a table of whole numbers",
        ),
        (r"^\[card\]", "[cart]", "there is no setting 'cart'. Did you mean 'card'?"),
        (r"^\[tasks\.texas\.clusters\]", "[tasks.texas.groups]", "there is no setting 'tasks.texas.groups'."),
        (
            "course/texas",
            "course/cornell",
            "the documents of 'course/cornell' are used twice, the second time in task 'texas'.",
        ),
        (
            r"^\[tasks\.texas\.clusters\]",
            "[tasks.texas.dropped]\nstudent = 1\n\n[tasks.texas.clusters]",
            "tasks.texas: documents of 'student' are dropped, which is no cluster of this task.",
        ),
    ],
)
def test_unknown_keys_wrong_values_and_contradictions_are_refused(written, pattern, replacement, said):
    with pytest.raises(PluginError, match=rf"The recipe '.*tiny\.toml': {re.escape(said)}"):
        written(pattern, replacement)


def test_a_file_that_cannot_be_read_is_refused_with_its_name(tmp_path):
    with pytest.raises(PluginError, match=r"^The recipe '.*none\.toml': there is no such file"):
        recipe_spec(tmp_path / "none.toml")


def test_a_citation_of_a_recipe_has_the_fields_of_a_reference_and_the_same_of_them_may_be_left_out():
    needed = {field.name: field.default is MISSING for field in fields(Reference)}
    assert {name: field.is_required() for name, field in Citation.model_fields.items()} == needed

from __future__ import annotations

import pickle
import re

import pytest

from lcbench.data.recipes.recipe import recipe_spec
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
    ("pattern", "field"),
    [
        (r"^name = .*", "name"),
        (r"^revision = .*", "revision"),
        (r"^summary = .*", "summary"),
        (r"^what = .*", "what"),
        (r"^source = .*", "source"),
        (r"^licence = .*", "licence"),
        (r"^reader = .*", "reader"),
        (r"^archives = .*", "archives"),
        (r"^size = .*", "size"),
        (r"^digest = .*", "digest"),
        (r"^min_df = .*", "min_df"),
        (r"^max_features = .*", "max_features"),
        (r"^weighting = .*", "weighting"),
    ],
)
def test_a_recipe_without_a_required_key_is_refused_with_file_and_key(written, pattern, field):
    with pytest.raises(PluginError, match=rf"The recipe '.*tiny\.toml' is not complete: .*'{field}'"):
        written(pattern, "")


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [
        (r"^weighting = .*", 'weighting = "bm25"', "weighting"),
        (r"^max_features = .*", "max_features = 0", "max_features"),
        (r"^max_features = .*", 'max_features = "many"', "max_features"),
        (r"^min_df = 1", 'min_df = 1\nidf = "corpus"', "idf"),
    ],
)
def test_an_invalid_value_is_refused_with_file_and_field(written, pattern, replacement, said):
    with pytest.raises(PluginError, match=rf"tiny\.toml.*{said}"):
        written(pattern, replacement)


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r'^course = \{ "course/texas" = 6 \}', 'course = ["course/texas"]'),
        (r'^course = \{ "course/texas" = 6 \}', 'course = { "course/texas" = "six" }'),
        (r"^\[tasks\.(texas|cornell)\.clusters\]", r"[other.\1.clusters]"),
        (r"^notes = .*", "notes = 3"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_with_the_file(written, pattern, replacement):
    with pytest.raises(PluginError, match=r"The recipe '.*tiny\.toml' is not complete"):
        written(pattern, replacement)


@pytest.mark.parametrize("content", [b"name = ", b"\xff\xfe", b'name = "a"\nname = "b"'])
def test_a_file_that_is_not_toml_is_refused_with_its_name(tmp_path, content):
    (tmp_path / "bad.toml").write_bytes(content)
    with pytest.raises(PluginError, match=r"The recipe '.*bad\.toml' cannot be read"):
        recipe_spec(tmp_path / "bad.toml")


def test_a_missing_file_is_refused_with_its_name(tmp_path):
    with pytest.raises(PluginError, match=r"none\.toml' cannot be read"):
        recipe_spec(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [
        (r"^\[card\]", "[cart]", "there is no 'cart' in a recipe. Did you mean 'card'?"),
        (r"^min_df = ", "min_dof = ", "there is no 'words.min_dof' in a recipe. Did you mean 'min_df'?"),
        (r"^\[tasks\.texas\.clusters\]", "[tasks.texas.groups]", "there is no 'tasks.texas.groups' in a recipe"),
        (
            r"course/texas",
            "course/cornell",
            "documents of 'course/cornell' are used twice, the second time in task 'texas'",
        ),
        (
            r"^\[tasks\.texas\.clusters\]",
            "[tasks.texas.dropped]\nstudent = 1\n\n[tasks.texas.clusters]",
            "task 'texas' drops documents of 'student', which is no cluster of it",
        ),
    ],
)
def test_unknown_keys_and_contradictions_are_refused(written, pattern, replacement, said):
    with pytest.raises(PluginError) as refused:
        written(pattern, replacement)
    assert said in str(refused.value)

from __future__ import annotations

import pytest

from lcbench.contract.specs import StreamCard, resolve_params
from lcbench.data.folders.content_hash import content_hash
from lcbench.data.folders.folder_spec import SOURCE, folder_spec
from lcbench.data.folders.layout import read_layout
from lcbench.data.folders.listing import Kind
from lcbench.data.folders.stream_spec import kind_params, make_spec
from lcbench.errors import DataRefusedError, ParameterError
from lcbench.registry.building import build_stream


@pytest.mark.parametrize(
    ("file", "params"),
    [
        ("a.npz", ["clusters"]),
        ("a.csv", ["label", "clusters"]),
        ("a/b/1.txt", ["clusters", "weighting", "max_features", "idf"]),
    ],
)
def test_a_folder_takes_only_the_parameters_that_have_an_effect_on_its_kind(write, file, params):
    write({file: ""})
    spec = folder_spec("./mine")
    assert [param.name for param in spec.params] == params
    for name in {"label", "weighting"} - set(params):
        with pytest.raises(ParameterError, match=f"Stream 'mine' has no parameter '{name}'"):
            resolve_params("Stream 'mine'", spec.params, {name: "x"})


def test_the_defaults_are_taken_from_stream_toml(write):
    write(
        {"a/b/1.txt": "", "stream.toml": 'clusters = 3\n[text]\nweighting = "log"\nmax_features = "none"\nidf = "pool"'}
    )
    assert resolve_params("s", folder_spec("./mine").params, {}) == {
        "clusters": 3, "weighting": "log", "max_features": None, "idf": "pool",
    }  # fmt: skip


def test_given_defaults_replace_the_usual_ones_and_those_of_other_kinds_are_ignored():
    given = {"clusters": "4", "weighting": "counts", "label": "topic"}

    def defaults(kind: Kind) -> dict[str, object]:
        return {param.name: param.default for param in kind_params(kind, given)}

    assert defaults(Kind.ARRAYS) == {"clusters": 4}
    assert defaults(Kind.TABLES) == {"label": "topic", "clusters": 4}
    assert defaults(Kind.TEXTS) == {"clusters": 4, "weighting": "counts", "max_features": 5000, "idf": "pool"}


@pytest.mark.parametrize("defaults", [{"clusters": 0}, {"clusters": "many"}, {"weighting": "bm25"}, {"idf": "all"}])
def test_a_default_that_the_parameter_cannot_have_is_refused(defaults):
    with pytest.raises(ParameterError, match=f"^{next(iter(defaults))} takes "):
        kind_params(Kind.TEXTS, defaults)


def test_a_spec_builds_a_stream_that_reads_the_folder_only_if_its_content_has_the_hash(array_folder):
    folder = array_folder.absolute()

    def tasks(content: str):
        spec = make_spec(folder, name="own", shown="./mine", content=content, card=StreamCard("Blobs"), tasks=())
        assert spec.digest == f"folder-1-{content}"
        return build_stream(spec, {"clusters": None}, SOURCE).tasks()

    assert [task.name for task in tasks(content_hash(read_layout(folder, "./mine")))] == ["task-1", "task-2", "task-10"]
    with pytest.raises(DataRefusedError, match=r"^The files of '\./mine' have changed"):
        tasks("0" * 64)

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from lcbench.contract.specs import resolve_params
from lcbench.data.folders.folder_spec import SOURCE, folder_spec
from lcbench.data.folders.imported import (
    import_folder,
    imported_names,
    imported_spec,
    lcbench_register_streams,
    read_facts,
    remove_imported,
)
from lcbench.errors import DataRefusedError, InvalidTaskError, LcbenchError, OutputError, ParameterError
from lcbench.registry.building import build_stream


def take(name: str = "own", path: str = "./mine", **params: str):
    import_folder(name, path, params=params, taken=lambda name: name == "taken")


def tasks(spec, **params):
    return build_stream(spec, resolve_params("stream", spec.params, params), SOURCE).tasks()


def registered() -> list[str]:
    found = []
    lcbench_register_streams(lambda spec: found.append(spec.name))
    return found


def test_an_import_keeps_its_tasks_after_the_folder_is_removed(array_folder):
    take()
    spec, original = imported_spec("own"), folder_spec("./mine")
    assert (imported_names(), registered(), spec.name) == (["own"], ["own"], "own")
    assert (spec.digest, spec.card.source) == (original.digest, original.fixed["folder"])
    expected = tasks(original)
    shutil.rmtree(array_folder)
    for labelled, before in zip(tasks(spec), expected, strict=True):
        np.testing.assert_array_equal(labelled.task.X, before.task.X)
        np.testing.assert_array_equal(labelled.y, before.y)


def test_given_parameters_become_the_defaults_and_only_used_files_are_copied(write, cache):
    write({"a.csv": "u,v,y\n1,2,x\n3,4,z\n", "README.md": "", "stream.toml": "drop = ['v']"})
    take(label="y")
    assert {param.name: param.default for param in imported_spec("own").params} == {"label": "y", "clusters": None}
    assert tasks(imported_spec("own"))[0].classes == ("x", "z")
    files = {str(path.relative_to(cache / "imported")) for path in (cache / "imported").rglob("*.*")}
    assert files == {"own/imported.json", "own/stream/a.csv", "own/stream/stream.toml"}


def test_texts_are_copied_with_their_folders(text_folder):
    take()
    assert imported_spec("own").digest == folder_spec("./mine").digest


@pytest.mark.parametrize(
    ("name", "path", "params", "error", "message"),
    [
        ("../own", "./mine", {}, ParameterError, "'../own' cannot be the name of a stream"),
        ("taken", "./mine", {}, ParameterError, "There is a stream 'taken' already"),
        ("before", "./mine", {}, ParameterError, "'before' is imported already: 'lcbench data remove before' first"),
        ("own", "./none", {}, LcbenchError, "There is no folder './none'"),
        ("own", "./mine", {"lable": "y"}, ParameterError, "Stream 'own' has no parameter 'lable'"),
        ("own", "./bad", {}, InvalidTaskError, "'./bad/a.npz' cannot be read"),
    ],
)
def test_what_cannot_be_imported_is_refused_and_leaves_the_cache_as_it_was(
    array_folder, write, name, path, params, error, message
):
    take("before")
    write({"a.npz": b"nonsense"}, "bad")
    with pytest.raises(error) as refused:
        take(name, path, **params)
    assert message in str(refused.value)
    assert imported_names() == ["before"]


def test_a_copy_that_fails_leaves_nothing(array_folder, cache, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "task-1.npz")

    monkeypatch.setattr("lcbench.data.folders.imported.shutil.copyfile", full)
    with pytest.raises(OutputError, match=r"'task-1\.npz' could not be copied \(No space left on device\)"):
        take()
    assert list((cache / "imported").iterdir()) == []


def test_a_damaged_import_is_a_warning_and_does_not_hide_those_after_it(array_folder, cache, caplog):
    for name in ("broken", "gone", "whole"):
        take(name)
    (cache / "imported" / "broken" / "imported.json").write_text("[]")
    shutil.rmtree(cache / "imported" / "gone" / "stream")
    assert registered() == ["whole"]
    assert "'lcbench data remove broken', then import it again" in caplog.text
    assert "'gone' was left out" in caplog.text
    with pytest.raises(DataRefusedError):
        read_facts("broken")


def test_an_import_can_be_removed_even_if_damaged(array_folder, cache):
    take()
    (cache / "imported" / "own" / "imported.json").unlink()
    remove_imported("own")
    assert imported_names() == []


def test_without_a_cache_there_are_no_imports(cache):
    assert imported_names() == []
    Path(cache).write_text("a file where the cache should be")
    assert imported_names() == []

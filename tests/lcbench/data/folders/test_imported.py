from __future__ import annotations

import json
import logging
import os
import pickle
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from lcbench.contract.specs import TaskShape, resolve_params
from lcbench.data.folders import importing as module
from lcbench.data.folders.folder_spec import SOURCE, folder_spec
from lcbench.data.folders.imported import (
    import_folder,
    imported_facts,
    imported_names,
    imported_specs,
    remove_imported,
    verify_imported,
)
from lcbench.errors import (
    DataRefusedError,
    InvalidTaskError,
    LcbenchError,
    OutputError,
    ParameterError,
    UnknownNameError,
)
from lcbench.registry.building import build_stream
from lcbench.registry.catalogue import Registry


def take(name: str = "own", path: str = "./mine", **params: str):
    return import_folder(name, path, params=params, taken=lambda _: False)


def tasks(spec, **params):
    return build_stream(spec, resolve_params("stream", spec.params, params), SOURCE).tasks()


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_an_import_keeps_its_tasks_after_the_folder_is_removed(array_folder, cache):
    spec = take()
    assert imported_names() == ["own"]
    assert spec.digest == folder_spec("./mine").digest
    expected = tasks(folder_spec("./mine"))
    shutil.rmtree(array_folder)
    for labelled, original in zip(tasks(spec), expected, strict=True):
        np.testing.assert_array_equal(labelled.task.X, original.task.X)
        np.testing.assert_array_equal(labelled.y, original.y)
    assert Registry().streams.check(spec, SOURCE) is spec
    assert pickle.loads(pickle.dumps(spec)).shapes({"clusters": None}) == spec.shapes({"clusters": None})


def test_the_description_of_an_import_holds_size_origin_and_tasks(array_folder, cache):
    take()
    facts = imported_facts("own")
    assert facts.path == cache / "imported/own/stream"
    assert facts.bytes == sum(file.stat().st_size for file in array_folder.iterdir())
    assert facts.origin == str(array_folder.absolute())
    assert facts.samples == 180
    assert facts.tasks[0] == TaskShape("task-1", 60, 12, 3, (("0", 20), ("1", 20), ("2", 20)))
    assert datetime.fromisoformat(facts.imported).tzinfo is not None
    assert facts.verified >= facts.imported


def test_a_later_start_finds_the_same_spec(array_folder, write):
    write({"stream.toml": 'what = "Blobs"\nlicence = "CC0"\nclusters = 4'})
    spec, (again,) = take(clusters="2"), imported_specs()
    assert (again.name, again.digest, again.params, again.card, again.fixed) == (
        spec.name, spec.digest, spec.params, spec.card, spec.fixed,
    )  # fmt: skip
    assert (again.card.what, again.card.licence) == ("Blobs", "CC0")


def test_parameters_that_were_given_become_the_defaults(write):
    write({"a.csv": "x,z,t\n1,2,u\n3,4,v\n5,6,w\n"})
    spec = take(label="t")
    assert tasks(spec)[0].task.n_clusters == 3
    assert tasks(spec, clusters="2")[0].task.n_clusters == 2
    (again,) = imported_specs()
    assert resolve_params("s", again.params, {}) == {"label": "t", "clusters": None}


def test_sizes_of_tasks_are_known_for_the_defaults_only(array_folder):
    spec = take()
    assert [shape.samples for shape in spec.shapes({"clusters": None})] == [60, 60, 60]
    assert spec.shapes({"clusters": 5})[0] == TaskShape("task-1")


def test_the_name_in_stream_toml_does_not_matter(array_folder, write):
    write({"stream.toml": 'name = "other"'})
    assert take().name == "own"


@pytest.mark.parametrize("form", ["zip", "gztar", "bztar", "xztar", "tar"])
def test_an_archive_gives_the_same_stream_as_its_folder(text_folder, form):
    expected = folder_spec("./mine").digest
    file = shutil.make_archive("data", form, root_dir=".", base_dir="mine")
    spec = take(path=f"./{Path(file).name}")
    assert spec.digest == expected
    assert [labelled.name for labelled in tasks(spec)] == ["cornell", "texas"]


@pytest.mark.parametrize("name", ["archive", "stream", "imported.json", "own.json", "own"])
def test_names_of_files_that_lcbench_writes_can_be_names_of_imports(array_folder, name):
    take("other")
    shutil.make_archive("data", "zip", "mine")
    assert len(tasks(take(name, "./data.zip"))) == 3
    assert imported_names() == sorted(["other", name])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../evil", r"'\.\./evil' cannot be the name of a stream: a name starts with a letter or digit"),
        (".own", r"'\.own' cannot be the name of a stream"),
        ("", "'' cannot be the name of a stream"),
        ("webkb4", "There is a stream 'webkb4' already: choose another name for your data"),
        ("own", "'own' is imported already: 'lcbench data remove own' first"),
    ],
)
def test_invalid_and_taken_names_are_refused(array_folder, cache, name, message):
    take()
    before = contents(cache)
    with pytest.raises(ParameterError, match=f"^{message}"):
        import_folder(name, "./mine", params={}, taken=lambda taken: taken in ("webkb4", "own"))
    assert contents(cache) == before


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"task-2.npz": "no array"}, InvalidTaskError, r"'\./mine/task-2\.npz' cannot be read, it is damaged"),
        ({"a.csv": "x\n1\n"}, InvalidTaskError, r"'\./mine/a\.csv' and '\./mine/task-1\.npz' are of two kinds"),
        ({"stream.toml": "x = 1"}, ParameterError, r"'\./mine/stream\.toml' has no setting 'x'"),
        ({"task-3.npz": {"X": np.eye(3)}}, InvalidTaskError, r"Task 'task-3' of stream '\./mine' has no labels"),
    ],
)
def test_a_failed_import_leaves_the_cache_as_it_was(array_folder, write, cache, change, error, message):
    write(change)
    with pytest.raises(error, match=f"^{message}"):
        take()
    assert not list(cache.rglob("*"))
    assert imported_names() == []


def test_unknown_parameters_are_refused(array_folder, cache):
    with pytest.raises(ParameterError, match="Stream 'own' has no parameter 'label'"):
        take(label="y")
    assert not list(cache.rglob("*"))


def test_a_failure_in_an_archive_names_the_archive(write):
    write({"a.csv": "x\nabc\n"})
    shutil.make_archive("data", "zip", "mine")
    with pytest.raises(InvalidTaskError, match=r"^'\./data\.zip/a\.csv': row 1 \(line 2\), column 'x' holds 'abc'"):
        take(path="./data.zip")


def test_an_archive_that_was_cut_off_leaves_the_cache_as_it_was(array_folder, cache):
    file = Path(shutil.make_archive("data", "gztar", "mine"))
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises(DataRefusedError):
        take(path="./data.tar.gz")
    assert not list(cache.rglob("*"))


def test_a_single_table_is_refused():
    Path("a.csv").write_text("x\n1\n")
    with pytest.raises(InvalidTaskError, match=r"^'\./a\.csv' is a file, but a stream is a folder with one \.npz"):
        take(path="./a.csv")


def test_a_missing_folder_is_named():
    with pytest.raises(UnknownNameError, match=r"^There is no folder './gone'\."):
        take(path="./gone")


def test_an_interruption_leaves_the_cache_as_it_was(array_folder, cache, monkeypatch):
    monkeypatch.setattr(module, "content_hash", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        take()
    assert not list(cache.rglob("*"))


def test_a_cache_that_cannot_be_written_is_an_error(array_folder, cache):
    cache.write_text("a file where the folder should be")
    with pytest.raises(OutputError, match=r"could not be written \("):
        take()


def test_a_removed_import_is_gone_and_can_be_imported_again(array_folder, cache):
    take()
    assert remove_imported("own")
    assert not remove_imported("own")
    assert not remove_imported("../own")
    assert not list(cache.rglob("own*"))
    assert list(imported_specs()) == []
    take()


def test_verifying_finds_files_that_changed_or_are_missing(array_folder, cache):
    take()
    assert verify_imported("own")
    file = cache / "imported/own/stream/task-1.npz"
    whole, stamp = file.read_bytes(), file.stat()
    altered = bytearray(whole)
    altered[100] ^= 1
    file.write_bytes(altered)
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert not verify_imported("own")
    file.unlink()
    assert not verify_imported("own")
    file.write_bytes(whole)
    assert verify_imported("own")


def test_the_time_of_verification_is_written_down(array_folder, monkeypatch):
    take()
    monkeypatch.setattr(module, "now", lambda: "2100-01-01T00:00:00+00:00")
    verify_imported("own")
    assert imported_facts("own").verified == "2100-01-01T00:00:00+00:00"
    assert imported_facts("own").imported < "2100"


def test_altered_files_are_refused(array_folder, cache):
    spec = take()
    shutil.copy(cache / "imported/own/stream/task-2.npz", cache / "imported/own/stream/task-1.npz")
    with pytest.raises(DataRefusedError, match=r"^The files of 'own' have changed since they were looked at"):
        tasks(spec)


@pytest.mark.parametrize(
    "damage",
    [
        b"", b"{", b"[]", b"{}", b"[" * 100_000, b"\xff",
        {"name": "other"}, {"format": 2}, {"kind": "pictures"}, {"tasks": 3}, {"params": {"clusters": "many"}},
        {"tasks": [{"name": "a"}]}, {"bytes": "many"}, {"bytes": float("inf")}, {"card": None}, {"params": None},
    ],
)  # fmt: skip
def test_an_import_with_a_damaged_description_is_left_out_with_a_warning(array_folder, cache, caplog, damage):
    take()
    take("second")
    file = cache / "imported/own/imported.json"
    file.write_bytes(
        damage if isinstance(damage, bytes) else json.dumps({**json.loads(file.read_bytes()), **damage}).encode()
    )
    with caplog.at_level(logging.WARNING, "lcbench"):
        assert [spec.name for spec in imported_specs()] == ["second"]
    (message,) = caplog.messages
    assert message.startswith(f"'{file}' cannot be read (")
    assert "'lcbench data remove own'" in message
    assert remove_imported("own")


def test_a_missing_description_is_an_error_that_says_what_to_do(array_folder, cache):
    take()
    (cache / "imported/own/imported.json").unlink()
    assert not verify_imported("own")
    with pytest.raises(DataRefusedError, match=r"cannot be read .*: 'lcbench data remove own', then import it again"):
        imported_facts("own")


@pytest.mark.parametrize("ask", [imported_facts, verify_imported])
def test_a_name_that_was_not_imported_is_unknown(array_folder, ask):
    take()
    with pytest.raises(UnknownNameError, match=r"^Nothing was imported as 'ow'\. Did you mean 'own'\?$"):
        ask("ow")
    with pytest.raises(LcbenchError):
        ask("../own")


def test_without_imports_nothing_is_listed_and_no_cache_is_made(cache):
    assert list(imported_specs()) == imported_names() == []
    assert not cache.exists()


def test_listing_imports_loads_no_heavy_module(array_folder):
    take()
    code = (
        "import sys; from lcbench.data.folders.imported import imported_specs;"
        "print([s.name for s in imported_specs()],"
        "[m for m in ('numpy', 'scipy', 'sklearn', 'pandas', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=os.environ)
    assert done.stdout.strip() == "['own'] []"

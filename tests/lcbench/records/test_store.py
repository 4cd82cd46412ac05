from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from making import make_record, make_results

from lcbench.errors import OutputError, RecordError
from lcbench.records.record import FAILED, OK, SCHEMA
from lcbench.records.store import RunStore, open_store
from lcbench.registry.host import plugin_host


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def environment_id(facts):
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def changed(**values):
    return lambda content: json.dumps({**json.loads(content), **values}).encode()


@pytest.fixture
def store(tmp_path, record):
    """A store that holds `record`."""
    return make_results(record, folder=tmp_path)


@pytest.fixture
def newer(store, record):
    """The stored run, as a later lcbench might have written it."""
    file = store.run_file(record.run_id)
    file.write_bytes(changed(schema=SCHEMA + 1, scores="elsewhere")(file.read_bytes()))
    return file


def test_a_run_is_three_files_and_refers_to_its_environment_by_hash(tmp_path, record, files):
    folder, environment = tmp_path / "new" / "out", environment_id(record.environment)
    make_results(record, folder=folder)
    paths = [f"environments/{environment}.json", f"labels/{record.run_id}.npz", f"runs/{record.run_id}.json"]
    assert files(folder) == paths
    assert read(folder / paths[0]) == record.environment
    checksum = read(folder / paths[2])["checksum"]
    assert read(folder / paths[2]) == {**record.to_json(), "environment": environment, "checksum": checksum}


def test_a_folder_that_cannot_be_written_is_refused_before_anything_runs(tmp_path, files):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match=r"cannot be written to .*name another folder"):
        RunStore(tmp_path / "file" / "out").prepare()
    assert files(tmp_path) == ["file"]


def test_a_folder_deleted_during_the_run_is_an_output_error(tmp_path, record):
    store = RunStore(tmp_path)
    store.prepare()
    (tmp_path / "runs").rmdir()
    with pytest.raises(OutputError, match=f"{record.run_id}.json' could not be written"):
        store.save(record)


def test_a_full_disk_leaves_neither_a_run_file_nor_a_temporary_one(tmp_path, monkeypatch, record, files):
    def disk_full(descriptor):
        raise OSError(28, "No space left on device")

    store = RunStore(tmp_path)
    store.prepare()
    monkeypatch.setattr("lcbench.writing.os.fsync", disk_full)
    with pytest.raises(OutputError, match="No space left on device"):
        store.save(record)
    assert files(tmp_path) == []


def test_opening_and_reading_a_store_creates_no_file(tmp_path, record):
    store = RunStore(tmp_path / "out")
    assert dict(store.index()) == {}
    assert store.load(record.run_id) is None
    assert store.remove([record.run_id]) == []
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_opened_as_a_run_store_and_any_other_store_is_itself(tmp_path):
    for folder in (tmp_path, str(tmp_path)):
        assert open_store(folder).folder == tmp_path
    other = object()
    assert open_store(other) is other


def test_preparing_deletes_temporary_files_of_processes_that_died(store, tmp_path, record):
    dying = f"""
import os
from pathlib import Path
from lcbench import writing
os.fsync = lambda _: os._exit(9)
writing.write_whole(Path({str(store.run_file("x"))!r}), b"half")
"""
    assert subprocess.run([sys.executable, "-c", dying]).returncode == 9
    left = list((tmp_path / "runs").glob(".*.tmp"))
    assert [path.read_bytes() for path in left] == [b"half"]
    assert set(RunStore(tmp_path).index()) == {record.run_id}
    RunStore(tmp_path).prepare()
    assert list((tmp_path / "runs").iterdir()) == [store.run_file(record.run_id)]


def test_a_loaded_record_is_the_saved_one_without_its_labels(store, record):
    found = store.load(record.run_id)
    assert found.to_json() == record.to_json()
    assert found.environment == record.environment
    assert found.labels == []


def test_removing_a_run_deletes_its_labels_and_environments_that_no_run_uses(tmp_path, record, files):
    other = replace(record, seed=1, environment={"python": "3.12"})
    third = replace(record, seed=2)
    store = make_results(record, other, third, folder=tmp_path)
    assert store.remove([other.run_id, "not there"]) == [other.run_id]
    assert sorted(store.index()) == sorted([record.run_id, third.run_id])
    assert not store.labels_file(other.run_id).exists()
    assert [file.stem for file in (tmp_path / "environments").iterdir()] == [environment_id(record.environment)]
    store.remove(list(store.index()))
    assert files(tmp_path) == ["index.json"]


def test_no_environment_is_deleted_while_a_run_file_of_a_newer_schema_may_need_it(tmp_path, record):
    newer = replace(record, seed=1, environment={"python": "4"})
    store = make_results(record, newer, folder=tmp_path)
    file = store.run_file(newer.run_id)
    file.write_text(json.dumps({**read(file), "schema": 99}))
    store.remove([record.run_id])
    assert len(list((tmp_path / "environments").iterdir())) == 2


def test_two_processes_can_write_to_one_folder(tmp_path, record):
    make_results(record, folder=tmp_path)
    script = """
import sys
from dataclasses import replace
from lcbench.records.store import RunStore
store = RunStore(sys.argv[1])
record = store.load(sys.argv[2])
for seed in range(int(sys.argv[3]), int(sys.argv[3]) + 8):
    store.save(replace(record, seed=seed))
    store.index()
"""
    command = [sys.executable, "-c", script, str(tmp_path), record.run_id]
    writers = [subprocess.Popen([*command, first]) for first in ("100", "200")]
    assert [writer.wait() for writer in writers] == [0, 0]
    seeds = [0, *range(100, 108), *range(200, 208)]
    assert set(RunStore(tmp_path).index()) == {replace(record, seed=seed).run_id for seed in seeds}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="nothing says which file is flushed")
def test_the_run_file_is_written_last_and_every_folder_is_flushed(tmp_path, record, monkeypatch):
    store = RunStore(tmp_path)
    store.prepare()
    flushed = []
    flush = os.fsync

    def watched(descriptor):
        flush(descriptor)
        flushed.append(str(Path(f"/proc/self/fd/{descriptor}").readlink().relative_to(tmp_path)).split("/."))

    monkeypatch.setattr(os, "fsync", watched)
    store.save(record)
    assert [path[0] for path in flushed] == ["labels"] * 2 + ["environments"] * 2 + ["runs"] * 2
    assert [len(path) for path in flushed] == [2, 1] * 3
    assert store.load(record.run_id).status == OK


def test_labels_of_an_unknown_run_are_an_error_that_names_it(tmp_path):
    with pytest.raises(RecordError, match="There is no run 'abc'"):
        RunStore(tmp_path).load_labels("abc")


def test_new_labels_replace_the_old_ones(store, record):
    changed = replace(record, labels=[{"a": np.array([7, 7, 7])}, {"b": np.array([2, 0])}])
    store.save(changed)
    assert store.load_labels(record.run_id)[0]["a"].tolist() == [7, 7, 7]


DAMAGE = {
    "empty": (lambda content: b"", "it is empty"),
    "cut": (lambda content: content[:100], "it is no JSON"),
    "deep": (lambda content: b"[" * 100_000, "it is no JSON"),
    "edited": (lambda content: content.replace(b"0.25", b"0.95"), "it was changed: its checksum does not fit"),
}


@pytest.mark.parametrize("look", ["load", "index"])
@pytest.mark.parametrize(("damage", "why"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_named_in_one_warning_left_out_and_left_where_it_is(store, record, caplog, look, damage, why):
    file, labels = store.run_file(record.run_id), store.labels_file(record.run_id)
    bad, kept = damage(file.read_bytes()), labels.read_bytes()
    file.write_bytes(bad)
    if look == "load":
        assert store.load(record.run_id) is None
    for _ in range(2):
        index = store.index()
        assert dict(index) == {}
        assert [reason[: len(why)] for reason in index.damaged.values()] == [why]
    (warning,) = caplog.records
    assert (warning.levelno, warning.name) == (logging.WARNING, "lcbench.records.store")
    assert warning.getMessage().startswith(f"'{file}' is damaged ({why}")
    assert warning.getMessage().endswith("): it is left out, and 'lcbench run' makes its run again.")
    assert (file.read_bytes(), labels.read_bytes()) == (bad, kept)
    caplog.clear()
    assert set(RunStore(store.folder).index().damaged) == {record.run_id}
    assert len(caplog.records) == 1, "every command names it"


def test_a_damaged_file_is_read_again_though_the_index_knows_it(store, record, monkeypatch):
    """The range of a metric may have been declared too narrow, and its plugin was mended since."""
    file = store.run_file(record.run_id)
    store.save(replace(record, scores={"nmi": [[2.0, None], [0.5, 0.25]]}))
    content = file.read_bytes()
    assert RunStore(store.folder).index().damaged == {record.run_id: "its nmi of 2 is outside of the range from 0 to 1"}
    metrics = plugin_host().registry.metrics
    monkeypatch.setitem(metrics._specs, "nmi", replace(metrics["nmi"], range=(0, 2)))
    assert set(RunStore(store.folder).index()) == {record.run_id}
    assert file.read_bytes() == content


def test_a_file_whose_name_is_not_its_run_id_is_left_out_and_the_run_itself_stays(store, record, caplog):
    copy = store.run_file("copy of it")
    copy.write_bytes(store.run_file(record.run_id).read_bytes())
    assert set(store.index()) == {record.run_id}
    assert store.index().damaged == {"copy of it": "its name is not the id of its run"}
    assert copy.exists()


def test_a_damaged_file_is_moved_away_when_its_run_is_saved_and_nothing_there_is_overwritten(store, record, caplog):
    for content in (b"first", b"second", b"third"):
        store.run_file(record.run_id).write_bytes(content)
        assert store.load(record.run_id) is None
        store.save(record)
    aside = {path.name: path.read_bytes() for path in (store.folder / "damaged").glob("*.json")}
    name = record.run_id
    assert aside == {f"{name}.json": b"first", f"{name}.2.json": b"second", f"{name}.3.json": b"third"}
    assert len(list((store.folder / "damaged").glob("*.npz"))) == 3
    assert len(caplog.records) == 3
    assert store.load(record.run_id).status == "ok"
    assert store.index().damaged == {}


def test_a_failed_run_replaces_a_damaged_file_too(store, record):
    store.run_file(record.run_id).write_bytes(b"")
    store.save(replace(record, status=FAILED, error="no luck"))
    assert store.load(record.run_id).status == FAILED
    assert len(list((store.folder / "damaged").iterdir())) == 2


def test_a_damaged_file_that_cannot_be_moved_is_replaced_with_a_warning(store, record, caplog):
    (store.folder / "damaged").write_text("in the way")
    store.run_file(record.run_id).write_bytes(b"")
    store.save(record)
    (warning,) = caplog.records
    assert "which is damaged, could not be moved" in warning.getMessage()
    assert store.load(record.run_id).status == OK
    assert (store.folder / "damaged").read_text() == "in the way"


def test_many_damaged_files_are_a_few_warnings(store, caplog):
    for n in range(9):
        store.run_file(f"{n}").write_bytes(b"")
    store.index()
    assert len(caplog.messages) == 6
    assert caplog.messages[-1] == "4 more are damaged: 'lcbench results check' names all."


def test_a_damaged_run_can_be_removed(store, record):
    store.run_file(record.run_id).write_bytes(b"")
    assert store.index().starting_with(record.run_id[:6]) == [record.run_id]
    assert store.remove([record.run_id]) == [record.run_id]
    assert not store.labels_file(record.run_id).exists()


def test_a_file_of_a_newer_schema_is_left_alone_and_named_in_a_warning(store, record, newer, caplog):
    content = newer.read_bytes()
    for _ in range(2):
        index = store.index()
        assert (dict(index), set(index.left_out)) == ({}, {record.run_id})
        assert store.load(record.run_id) is None
    (warning,) = caplog.records
    assert str(newer) in warning.getMessage()
    assert f"it has schema {SCHEMA + 1} and this lcbench knows up to {SCHEMA}" in warning.getMessage()
    caplog.clear()
    assert set(RunStore(store.folder).index().left_out) == {record.run_id}  # from the index file
    assert str(newer) in caplog.text
    assert newer.read_bytes() == content
    assert not (store.folder / "damaged").exists()


def test_a_file_of_a_newer_schema_is_not_replaced(store, record, newer, caplog):
    content = newer.read_bytes()
    store.save(record)
    assert newer.read_bytes() == content
    assert f"'{newer}' was not replaced: it has schema {SCHEMA + 1}" in caplog.text


def test_many_files_of_a_newer_schema_are_one_warning(store, record, newer, caplog):
    for n in range(9):
        store.run_file(f"{n}").write_bytes(newer.read_bytes())
    store.index()
    (warning,) = caplog.records
    assert "and 5 more" in warning.getMessage()


@pytest.mark.parametrize("run_id", ["", "..", "../runs/x", "a/b"])
def test_a_run_id_with_a_path_in_it_reads_no_other_file(store, run_id, caplog):
    (store.folder / "x.json").write_text("mine")
    assert store.load(run_id) is None
    assert (store.folder / "x.json").read_text() == "mine"
    assert caplog.records == []


def test_a_failed_run_replaces_a_finished_one_only_if_a_plugin_file_was_edited_in_between(tmp_path):
    store = RunStore(tmp_path)
    for text, status, kept in (
        ("a", "failed", "failed"), ("a", "ok", "ok"), ("a", "failed", "ok"), ("b", "failed", "failed"),
    ):  # fmt: skip
        record = make_record(status=status, code={"files": {"m.py": text}})
        store.save(record)
        assert store.load(record.run_id).status == kept


def test_the_entries_of_saved_runs_are_those_that_are_read_from_their_files(store, record):
    store.save(replace(record, seed=1, experiments=("one",), order_kinds=("given",), status="failed", error="no"))
    store.save(replace(record, seed=2, params={"k": [1, 2], "name": "x"}))
    written = dict(store.index())
    (store.folder / "index.json").unlink()
    assert dict(RunStore(store.folder).index()) == written
    assert len(written) == 3


def test_a_run_that_another_process_has_replaced_since_is_read_again(store, record):
    store.index()
    store.save(replace(record, note="ours"))
    RunStore(store.folder).save(replace(record, label="another name"))
    assert store.index()[record.run_id].label == "another name"

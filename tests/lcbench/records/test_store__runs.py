from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import lcbench
from lcbench.errors import OutputError
from lcbench.records.record import FAILED, OK
from lcbench.records.store import RunStore


def write(folder, *records):
    store = RunStore(folder)
    for record in records:
        store.save(record)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def environment_id(facts):
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_run_is_three_files_and_nothing_temporary_is_left(tmp_path, record, files):
    write(tmp_path / "new" / "out", record)
    assert files(tmp_path / "new" / "out") == [
        f"environments/{environment_id(record.environment)}.json",
        f"labels/{record.run_id}.npz",
        f"runs/{record.run_id}.json",
    ]


def test_the_run_file_is_the_record_with_its_environment_referred_to_by_hash(tmp_path, record):
    write(tmp_path, record)
    written = read(tmp_path / "runs" / f"{record.run_id}.json")
    assert written == {**record.to_json(), "environment": environment_id(record.environment)}
    assert read(tmp_path / "environments" / f"{written['environment']}.json") == record.environment


def test_runs_in_one_environment_share_its_file(tmp_path, record):
    write(tmp_path, record, replace(record, seed=1), replace(record, seed=2, environment={"python": "3.12"}))
    assert len(list((tmp_path / "environments").iterdir())) == 2
    assert len(list((tmp_path / "runs").iterdir())) == 3


def test_a_run_that_failed_at_once_is_a_record_without_labels(tmp_path, record):
    failed = replace(record, status=FAILED, error="boom", scores={}, labels=[])
    write(tmp_path, failed)
    assert list((tmp_path / "labels").iterdir()) == []
    written = read(tmp_path / "runs" / f"{failed.run_id}.json")
    assert (written["status"], written["error"], written["labels_digest"]) == (FAILED, "boom", None)


def test_a_run_written_again_replaces_the_first(tmp_path, record, files):
    write(tmp_path, replace(record, status=FAILED), record)
    assert len(files(tmp_path)) == 3
    assert read(tmp_path / "runs" / f"{record.run_id}.json")["status"] == "ok"


def test_a_folder_that_cannot_be_written_is_refused_before_anything_runs(tmp_path, files):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match=r"cannot be written to .*name another folder"):
        RunStore(tmp_path / "file" / "out").lcbench_run_started()
    assert files(tmp_path) == ["file"]


def test_a_folder_that_goes_away_during_the_run_is_an_output_error(tmp_path, record):
    store = RunStore(tmp_path)
    store.prepare()
    (tmp_path / "runs").rmdir()
    with pytest.raises(OutputError, match=f"{record.run_id}.json' could not be written"):
        store.lcbench_run_finished(record)


def test_a_write_that_breaks_off_leaves_neither_a_run_file_nor_a_temporary_one(tmp_path, monkeypatch, record, files):
    def disk_full(descriptor):
        raise OSError(28, "No space left on device")

    store = RunStore(tmp_path)
    store.prepare()
    monkeypatch.setattr("lcbench.writing.os.fsync", disk_full)
    with pytest.raises(OutputError, match="No space left on device"):
        store.lcbench_run_finished(record)
    assert files(tmp_path) == []


def test_a_failure_does_not_replace_a_result(tmp_path, blob_stream):
    (good,) = lcbench.run("one-cluster", blob_stream, out=tmp_path)
    failed = good.blank()
    failed.status, failed.error = "failed", "no luck"
    RunStore(tmp_path).save(failed)
    (file,) = (tmp_path / "runs").iterdir()
    assert json.loads(file.read_text())["status"] == "ok"


def test_opening_and_looking_into_a_store_makes_nothing(tmp_path, record):
    store = RunStore(tmp_path / "out")
    assert dict(store.index()) == {}
    assert store.load(record.run_id) is None
    assert store.remove([record.run_id]) == []
    assert list(tmp_path.iterdir()) == []


def test_as_a_listener_it_makes_its_folders_before_the_first_run_and_saves_each_run(tmp_path, blob_stream):
    seen = []

    class TransferListener:
        @lcbench.hookimpl
        def lcbench_task_learned(self, run, step):
            seen.append(sorted(path.name for path in tmp_path.iterdir()))

    store = RunStore(tmp_path)
    results = lcbench.run(["one-cluster", "random"], blob_stream, listeners=[store, TransferListener()])
    assert seen[0] == ["environments", "labels", "runs"]
    assert set(store.index()) == {run.run_id for run in results}


def test_preparing_sweeps_what_dead_writers_left(tmp_path, record):
    store = RunStore(tmp_path)
    store.save(record)
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


def test_a_record_comes_back_as_it_was_without_its_labels(tmp_path, blob_stream):
    (run,) = lcbench.run("kmeans", blob_stream, out=tmp_path)
    found = RunStore(tmp_path).load(run.run_id)
    assert found.to_json() == run.to_json()
    assert found.environment == run.environment != {}
    assert found.labels == []


def test_the_environment_is_read_once_for_all_runs(tmp_path, record):
    write(tmp_path, record, replace(record, seed=1))
    store = RunStore(tmp_path)
    store.load(record.run_id)
    for file in (tmp_path / "environments").iterdir():
        file.unlink()
    assert store.load(replace(record, seed=1).run_id).environment == record.environment
    assert RunStore(tmp_path).load(record.run_id).environment == {}


def test_an_environment_file_that_is_damaged_is_not_believed_and_written_again(tmp_path, record):
    write(tmp_path, record)
    (file,) = (tmp_path / "environments").iterdir()
    file.write_text('{"python": "2.7"}')
    assert RunStore(tmp_path).load(record.run_id).environment == {}
    write(tmp_path, record)
    assert read(file) == record.environment


def test_removing_takes_the_labels_and_the_environments_that_nobody_refers_to(tmp_path, record, files):
    other = replace(record, seed=1, environment={"python": "3.12"})
    third = replace(record, seed=2)
    write(tmp_path, record, other, third)
    store = RunStore(tmp_path)
    assert store.remove([other.run_id, "not there"]) == [other.run_id]
    assert sorted(store.index()) == sorted([record.run_id, third.run_id])
    assert not store.labels_file(other.run_id).exists()
    assert [file.stem for file in (tmp_path / "environments").iterdir()] == [environment_id(record.environment)]
    store.remove(list(store.index()))
    assert files(tmp_path) == ["index.json"]


def test_an_environment_stays_while_a_file_that_cannot_be_read_may_need_it(tmp_path, record):
    newer = replace(record, seed=1, environment={"python": "4"})
    write(tmp_path, record, newer)
    store = RunStore(tmp_path)
    file = store.run_file(newer.run_id)
    file.write_text(json.dumps({**read(file), "schema": 99}))
    store.remove([record.run_id])
    assert len(list((tmp_path / "environments").iterdir())) == 2


def test_two_stores_in_one_folder_see_the_runs_of_both(tmp_path, record):
    here, there = RunStore(tmp_path), RunStore(tmp_path)
    for seed in range(6):
        (here if seed % 2 else there).save(replace(record, seed=seed))
        assert set(here.index()) == set(there.index()) == {replace(record, seed=s).run_id for s in range(seed + 1)}


def test_two_processes_write_to_one_folder(tmp_path, record):
    write(tmp_path, record)
    script = """
import sys
from dataclasses import replace
from lcbench.records.store import RunStore
store = RunStore(sys.argv[1])
record = store.load(sys.argv[2])
for seed in range(int(sys.argv[3]), int(sys.argv[3]) + 20):
    store.save(replace(record, seed=seed))
    store.index()
"""
    command = [sys.executable, "-c", script, str(tmp_path), record.run_id]
    writers = [subprocess.Popen([*command, first]) for first in ("100", "200")]
    assert [writer.wait() for writer in writers] == [0, 0]
    seeds = [0, *range(100, 120), *range(200, 220)]
    assert set(RunStore(tmp_path).index()) == {replace(record, seed=seed).run_id for seed in seeds}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="nothing says which file is flushed")
def test_the_run_file_gets_its_name_last_and_every_folder_is_flushed(tmp_path, record, monkeypatch):
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

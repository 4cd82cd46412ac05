from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

import lcbench
from lcbench.errors import OutputError
from lcbench.record import FAILED, RunRecord
from lcbench.store import RunStore

RECORD = RunRecord(
    method="m", revision=1, params={}, setting="single-task", stream="s", stream_params={}, stream_digest="1",
    order=("a", "b"), seed=0, repeat=0, environment={"python": "3.11", "system": "Ünix"},
    scores={"nmi": [[1.0, None], [0.5, 0.25]]},
    labels=[{"a": np.array([0, 1, 1])}, {"b": np.array([2, 0]), "a": np.array([1, 1, 0])}],
)  # fmt: skip


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def write(folder, *records):
    store = RunStore(folder)
    for record in records:
        store.lcbench_run_finished(record)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def environment_id(facts):
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_run_is_three_files_and_nothing_temporary_is_left(tmp_path):
    write(tmp_path / "new" / "out", RECORD)
    assert files(tmp_path / "new" / "out") == [
        f"environments/{environment_id(RECORD.environment)}.json",
        f"labels/{RECORD.run_id}.npz",
        f"runs/{RECORD.run_id}.json",
    ]


def test_the_run_file_is_the_record_with_its_environment_referred_to_by_hash(tmp_path):
    write(tmp_path, RECORD)
    written = read(tmp_path / "runs" / f"{RECORD.run_id}.json")
    assert written == {**RECORD.to_json(), "environment": environment_id(RECORD.environment)}
    assert read(tmp_path / "environments" / f"{written['environment']}.json") == RECORD.environment


def test_runs_in_one_environment_share_its_file(tmp_path):
    write(tmp_path, RECORD, replace(RECORD, seed=1), replace(RECORD, seed=2, environment={"python": "3.12"}))
    assert len(list((tmp_path / "environments").iterdir())) == 2
    assert len(list((tmp_path / "runs").iterdir())) == 3


def test_labels_are_read_back_without_pickle_by_step_and_position(tmp_path):
    write(tmp_path, RECORD)
    with np.load(tmp_path / "labels" / f"{RECORD.run_id}.npz", allow_pickle=False) as archive:
        stored = {name: archive[name].tolist() for name in archive}
    assert stored == {"step-1-task-1": [0, 1, 1], "step-2-task-1": [1, 1, 0], "step-2-task-2": [2, 0]}


def test_the_labels_of_a_real_run_give_the_digest_that_its_file_holds(tmp_path, blob_stream):
    (record,) = lcbench.run("random", blob_stream, out=tmp_path, order=["task-3", "task-1"])
    with np.load(tmp_path / "labels" / f"{record.run_id}.npz", allow_pickle=False) as archive:
        stored = [
            {"task-3": archive["step-1-task-1"]},
            {"task-3": archive["step-2-task-1"], "task-1": archive["step-2-task-2"]},
        ]
    written = read(tmp_path / "runs" / f"{record.run_id}.json")
    assert replace(record, labels=stored).labels_digest == written["labels_digest"]


def test_a_run_that_failed_at_once_is_a_record_without_labels(tmp_path):
    failed = replace(RECORD, status=FAILED, error="boom", scores={}, labels=[])
    write(tmp_path, failed)
    assert list((tmp_path / "labels").iterdir()) == []
    written = read(tmp_path / "runs" / f"{failed.run_id}.json")
    assert (written["status"], written["error"], written["labels_digest"]) == (FAILED, "boom", None)


def test_a_run_written_again_replaces_the_first(tmp_path):
    write(tmp_path, replace(RECORD, status=FAILED), RECORD)
    assert len(files(tmp_path)) == 3
    assert read(tmp_path / "runs" / f"{RECORD.run_id}.json")["status"] == "ok"


def test_a_folder_that_cannot_be_written_is_refused_before_anything_runs(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match=r"cannot be written to .*name another folder"):
        RunStore(tmp_path / "file" / "out")
    assert files(tmp_path) == ["file"]


def test_a_folder_that_goes_away_during_the_run_is_an_output_error(tmp_path):
    store = RunStore(tmp_path)
    (tmp_path / "runs").rmdir()
    with pytest.raises(OutputError, match=f"{RECORD.run_id}.json' could not be written"):
        store.lcbench_run_finished(RECORD)


def test_a_write_that_breaks_off_leaves_neither_a_run_file_nor_a_temporary_one(tmp_path, monkeypatch):
    def disk_full(descriptor):
        raise OSError(28, "No space left on device")

    store = RunStore(tmp_path)
    monkeypatch.setattr("lcbench.writing.os.fsync", disk_full)
    with pytest.raises(OutputError, match="No space left on device"):
        store.lcbench_run_finished(RECORD)
    assert files(tmp_path) == []


def test_a_failure_does_not_replace_a_result(tmp_path, blob_stream):
    (good,) = lcbench.run("one-cluster", blob_stream, out=tmp_path)
    failed = good.blank()
    failed.status, failed.error = "failed", "no luck"
    RunStore(tmp_path).lcbench_run_finished(failed)
    (file,) = (tmp_path / "runs").iterdir()
    assert json.loads(file.read_text())["status"] == "ok"

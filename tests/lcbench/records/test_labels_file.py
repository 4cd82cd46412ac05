from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import lcbench
from lcbench.errors import RecordError
from lcbench.records.record import FAILED
from lcbench.records.store import RunStore


def write(folder, *records):
    store = RunStore(folder)
    for record in records:
        store.save(record)


def test_labels_are_read_back_without_pickle_by_step_and_position(tmp_path, record):
    write(tmp_path, record)
    with np.load(tmp_path / "labels" / f"{record.run_id}.npz", allow_pickle=False) as archive:
        stored = {name: archive[name].tolist() for name in archive}
    assert stored == {"step-1-task-1": [0, 1, 1], "step-2-task-1": [1, 1, 0], "step-2-task-2": [2, 0]}


def test_the_labels_of_a_real_run_give_the_digest_that_its_file_holds(tmp_path, blob_stream):
    (record,) = lcbench.run("random", blob_stream, out=tmp_path, order=["task-3", "task-1"])
    with np.load(tmp_path / "labels" / f"{record.run_id}.npz", allow_pickle=False) as archive:
        stored = [
            {"task-3": archive["step-1-task-1"]},
            {"task-3": archive["step-2-task-1"], "task-1": archive["step-2-task-2"]},
        ]
    written = json.loads((tmp_path / "runs" / f"{record.run_id}.json").read_text())
    assert replace(record, labels=stored).labels_digest == written["labels_digest"]


def test_labels_come_back_by_step_and_task(tmp_path, blob_stream):
    (run,) = lcbench.run("random", blob_stream, out=tmp_path, order=["task-3", "task-1"])
    found = RunStore(tmp_path).load_labels(run.run_id)
    assert [{task: labels.tolist() for task, labels in step.items()} for step in found] == [
        {task: labels.tolist() for task, labels in step.items()} for step in run.labels
    ]


def test_the_labels_of_a_run_that_failed_end_where_it_did(tmp_path, record):
    failed = replace(record, status=FAILED, labels=record.labels[:1], scores={"nmi": [[1.0, None]]})
    write(tmp_path, failed)
    assert [list(step) for step in RunStore(tmp_path).load_labels(failed.run_id)] == [["a"]]
    write(tmp_path, replace(failed, labels=[], scores={}))
    assert RunStore(tmp_path).load_labels(failed.run_id) == []
    assert list((tmp_path / "labels").iterdir()) == []


def other_labels(path, record):
    changed = [{**step, "a": step["a"] + 1} for step in record.labels]
    write(path.parent.parent / "other", replace(record, labels=changed))
    path.write_bytes((path.parent.parent / "other" / "labels" / path.name).read_bytes())


DAMAGE = {
    "missing": (lambda path, record: path.unlink(), "are missing: '.*npz' is not there"),
    "empty": (lambda path, record: path.write_bytes(b""), "are damaged: they are no archive"),
    "cut": (lambda path, record: path.write_bytes(path.read_bytes()[:-40]), "are damaged: they are no archive"),
    "pickle": (lambda path, record: np.savez(path, a=np.array([{}])), "are damaged: they are no archive"),
    "strange": (lambda path, record: np.savez(path, other=np.arange(3)), "are damaged: 'other' cannot be among"),
    "beyond": (lambda path, record: np.savez(path, **{"step-1-task-3": np.arange(3)}), "cannot be among"),
    "floats": (lambda path, record: np.savez(path, **{"step-1-task-1": np.ones(3)}), "cannot be among"),
    "nothing": (lambda path, record: np.savez(path), "are not the ones"),
    "others": (other_labels, "are not the ones that the run ended with"),
}


@pytest.mark.parametrize(("damage", "sentence"), DAMAGE.values(), ids=DAMAGE)
def test_labels_that_are_missing_or_damaged_are_refused_in_one_sentence(tmp_path, record, damage, sentence):
    store = RunStore(tmp_path)
    store.save(record)
    damage(store.labels_file(record.run_id), record)
    with pytest.raises(RecordError, match=sentence):
        store.load_labels(record.run_id)


def test_a_bit_that_flips_anywhere_in_the_labels_is_noticed(tmp_path, record):
    store = RunStore(tmp_path)
    store.save(record)
    file = store.labels_file(record.run_id)
    content, wrong = file.read_bytes(), 0
    for position in range(0, len(content), 7):
        file.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
        try:
            found = store.load_labels(record.run_id)
        except RecordError:
            wrong += 1
        else:  # in a part of the archive that says nothing about the labels, such as a date
            assert replace(record, labels=found).labels_digest == record.labels_digest
    assert wrong > 10


def test_a_run_that_is_not_there_has_no_labels(tmp_path):
    with pytest.raises(RecordError, match="There is no run 'abc'"):
        RunStore(tmp_path).load_labels("abc")


def test_labels_are_copied_to_a_run_that_repeats_them(tmp_path, record):
    store = RunStore(tmp_path)
    store.save(record)
    tuned = replace(record, tune={"protocol": "oracle", "grid": None}, labels=[], digest=record.labels_digest)
    store.copy_labels(record.run_id, tuned.run_id)
    store.save(tuned)
    assert store.labels_file(tuned.run_id).read_bytes() == store.labels_file(record.run_id).read_bytes()
    assert [sorted(step) for step in store.load_labels(tuned.run_id)] == [["a"], ["a", "b"]]
    with pytest.raises(RecordError, match="cannot be copied"):
        store.copy_labels("0" * 64, tuned.run_id)


def test_new_labels_replace_the_old_ones(tmp_path, record):
    store = RunStore(tmp_path)
    store.save(record)
    changed = replace(record, labels=[{"a": np.array([7, 7, 7])}, {"b": np.array([2, 0])}])
    store.save(changed)
    assert store.load_labels(record.run_id)[0]["a"].tolist() == [7, 7, 7]

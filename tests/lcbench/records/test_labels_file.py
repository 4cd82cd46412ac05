from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcbench
from lcbench.errors import RecordError
from lcbench.records.labels_file import pack_labels, unpack_labels
from lcbench.records.record import FAILED, RunRecord
from lcbench.records.store import RunStore


def write(folder, *records):
    store = RunStore(folder)
    for record in records:
        store.save(record)


def as_lists(steps):
    return [{task: labels.tolist() for task, labels in step.items()} for step in steps]


def test_numpy_reads_the_file_without_pickle_by_step_and_position(tmp_path, record):
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
    assert as_lists(found) == as_lists(run.labels)


def test_a_failed_run_has_labels_up_to_the_step_in_which_it_failed(tmp_path, record):
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


def test_a_flipped_bit_in_the_labels_is_detected(tmp_path, record):
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
        else:  # in a part of the archive that does not matter for the labels, such as a date
            assert replace(record, labels=found).labels_digest == record.labels_digest
    assert wrong > 10


PARTITIONS = st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=5).map(np.array)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.dictionaries(st.sampled_from("xyz"), PARTITIONS, min_size=1), min_size=1, max_size=3))
def test_any_labels_survive_being_packed_and_unpacked(steps):
    run = RunRecord(
        method="m", revision=1, params={}, setting="lifelong", stream="s", stream_params={}, stream_digest="",
        order=("x", "y", "z"), seed=0, repeat=0, labels=steps,
    )  # fmt: skip
    stored = replace(run, labels=[], digest=run.labels_digest)
    assert as_lists(unpack_labels(pack_labels(run), stored)) == as_lists(steps)


def test_labels_of_another_run_are_refused_by_their_digest(record):
    stored = replace(record, labels=[], digest=record.labels_digest)
    other = replace(record, labels=[record.labels[0], {**record.labels[1], "b": np.array([0, 2])}])
    with pytest.raises(RecordError, match="they are not the ones that the run ended with"):
        unpack_labels(pack_labels(other), stored)

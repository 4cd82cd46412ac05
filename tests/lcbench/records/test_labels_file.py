from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import make_record, make_results

import lcbench
from lcbench.errors import RecordError
from lcbench.records.labels_file import pack_labels, unpack_labels
from lcbench.records.record import FAILED
from lcbench.records.store import RunStore


def as_lists(steps):
    return [{task: labels.tolist() for task, labels in step.items()} for step in steps]


def test_numpy_reads_the_file_without_pickle_by_step_and_position(record):
    file = make_results(record).labels_file(record.run_id)
    with np.load(file, allow_pickle=False) as archive:
        stored = {name: archive[name].tolist() for name in archive}
    assert stored == {"step-1-task-1": [0, 1, 1], "step-2-task-1": [1, 1, 0], "step-2-task-2": [2, 0]}


def test_the_labels_of_a_real_run_come_back_and_have_the_digest_that_its_file_holds(tmp_path, blob_stream):
    (run,) = lcbench.run("random", blob_stream, out=tmp_path, order=["task-3", "task-1"])
    store = RunStore(tmp_path)
    found = store.load_labels(run.run_id)
    assert as_lists(found) == as_lists(run.labels)
    written = json.loads(store.run_file(run.run_id).read_text())
    assert replace(run, labels=found).labels_digest == written["labels_digest"]


def test_a_failed_run_has_labels_up_to_the_step_in_which_it_failed(record):
    failed = replace(record, status=FAILED, labels=record.labels[:1], scores={"nmi": [[1.0, None]]})
    store = make_results(failed)
    assert [list(step) for step in store.load_labels(failed.run_id)] == [["a"]]
    store = make_results(replace(failed, labels=[], scores={}))
    assert store.load_labels(failed.run_id) == []
    assert not store.labels_file(failed.run_id).exists()


def other_labels(path, record):
    changed = [{**step, "a": step["a"] + 1} for step in record.labels]
    path.write_bytes(pack_labels(replace(record, labels=changed)))


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
def test_labels_that_are_missing_or_damaged_are_refused_in_one_sentence(record, damage, sentence):
    store = make_results(record)
    damage(store.labels_file(record.run_id), record)
    with pytest.raises(RecordError, match=sentence):
        store.load_labels(record.run_id)


def test_a_flipped_bit_in_the_labels_is_detected(record):
    store = make_results(record)
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
    run = make_record(order="xyz", labels=steps)
    stored = replace(run, labels=[], digest=run.labels_digest)
    assert as_lists(unpack_labels(pack_labels(run), stored)) == as_lists(steps)

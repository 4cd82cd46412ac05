"""Records and labels are read back as they were written, those of version 0.1 too, and damage is found."""

from __future__ import annotations

import hashlib
import json
import re
import string
import subprocess
import time
from dataclasses import replace

import numpy as np
import pytest
from edited_records import edit, older, write_older
from hypothesis import given, settings
from hypothesis import strategies as st
from making import make_record, make_results

from lcbench.errors import RecordError
from lcbench.records.record import FAILED, STATUSES, RunRecord
from lcbench.records.run_files import check_summary, pack_labels, parse_run, run_content, unpack_labels
from lcbench.records.store import RunStore

NAMES = st.text(string.ascii_letters + "-:=,\n\té☃", min_size=1, max_size=8)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
CHOICE = {"params": None, "run_id": None, "points": []}
PARAMS = st.dictionaries(NAMES, st.none() | st.booleans() | st.integers() | NUMBERS | NAMES, max_size=3)


@st.composite
def records(draw):
    order = tuple(draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)))
    status = draw(st.sampled_from(STATUSES))
    steps = len(order) if status == "ok" else draw(st.integers(0, len(order)))
    cells = st.lists(st.none() | NUMBERS, min_size=len(order), max_size=len(order))
    per_step = st.lists(st.floats(0, 1e6), min_size=steps, max_size=steps)
    params = ("params", "stream_params", "code", "environment")
    names = ("method", "stream", "stream_digest", "label", "stream_label", "note")
    seconds = ("learn_seconds", "predict_seconds", "metric_seconds")
    return make_record(
        order=order, status=status, revision=draw(st.integers(1, 9)), seed=draw(st.integers(0)),
        repeat=draw(st.integers(0, 99)), evaluate="last", future=draw(st.booleans()), threads=draw(st.integers(1, 4)),
        tune={"protocol": draw(NAMES), "grid": draw(st.none() | st.lists(PARAMS, max_size=2))}, stream_tasks=order,
        baseline=draw(st.none() | NAMES), error=draw(st.none() | NAMES), finished=draw(st.none() | NAMES),
        traceback=draw(st.lists(NAMES, max_size=2)), peak_bytes=draw(st.none() | st.integers(0)),
        scores=draw(st.dictionaries(NAMES, st.lists(cells, min_size=steps, max_size=steps), max_size=2)),
        state_bytes=draw(st.lists(st.integers(0), min_size=steps, max_size=steps)),
        audit=draw(st.dictionaries(NAMES, PARAMS, max_size=2)), choice=draw(st.none() | st.just(CHOICE)),
        agreement=draw(st.just([]) | st.lists(cells, min_size=steps, max_size=steps)), digest=draw(st.none() | NAMES),
        **{key: draw(PARAMS) for key in params}, **{key: draw(NAMES) for key in names},
        **{key: draw(per_step) for key in seconds},
    )  # fmt: skip


@settings(deadline=None, max_examples=40)
@given(records())
def test_any_record_survives_being_written_and_read(record):
    again, environment = parse_run(run_content(record, "0"), record.run_id)
    assert environment == "0"
    assert {**again.to_json(), "environment": ""} == {**record.to_json(), "environment": ""}
    assert again.run_id == record.run_id
    assert again.verified


@settings(deadline=None, max_examples=40)
@given(
    st.binary(max_size=60) | st.recursive(st.none() | NUMBERS | NAMES, st.lists).map(lambda v: json.dumps(v).encode())
)
def test_content_that_is_no_record_raises_a_record_error_and_nothing_else(content):
    with pytest.raises(RecordError):
        parse_run(content, "0" * 64)


@settings(deadline=None, max_examples=40)
@given(
    records(), st.sampled_from(sorted(RunRecord.__dataclass_fields__)), st.none() | NUMBERS | NAMES | st.lists(NAMES)
)
def test_a_field_with_any_other_value_is_read_or_refused_with_a_record_error(record, field, value):
    """A record that is read can be summarised and written again."""
    content = older(run_content(record, "0"), **{field: value})
    try:
        again, _ = parse_run(content, record.run_id)
    except RecordError:
        return
    json.dumps([again.to_json(), again.summary])


def test_what_version_0_1_did_not_write_has_its_default_and_the_rest_survives_being_written_again(record, caplog):
    later = {"experiments", "order_kinds", "largest", "command", "cpu_seconds", "pickle_seconds", "isolated", "sealed"}
    later |= {"processes_left", "clock"}
    store = make_results(record)
    file = store.run_file(record.run_id)
    write_older(file, without=later)
    before = json.loads(file.read_text())
    again = store.load(record.run_id)
    assert (again.experiments, again.order_kinds, again.largest, again.command) == ((), (), [], "")
    assert (again.cpu_seconds, again.pickle_seconds, again.processes_left, again.clock) == (None, [], 0, 1)
    assert (again.isolated, again.sealed) == (None, False)
    entry = store.index()[record.run_id]
    assert (entry.status, entry.after_all, entry.kinds, entry.experiments) == ("ok", {"nmi": 0.375}, (), ())
    assert again.environment == record.environment
    store.save(again)
    after = json.loads(file.read_text())
    assert {**after, **before, "schema": 3, "first_schema": 2} == after
    assert not store.load(record.run_id).verified, "a checksum that was written later proves nothing about before"
    assert caplog.records == []


def test_a_tuning_without_a_protocol_is_refused():
    run = make_record(tune={"grid": None})
    with pytest.raises(RecordError, match="its 'tune' cannot be read"):
        parse_run(run_content(run, "0"), run.run_id)


def test_the_checksum_is_that_of_the_line_without_it_and_can_be_checked_by_hand(record):
    file = make_results(record).run_file(record.run_id)
    line, checksum = re.fullmatch(r'(.*), "checksum": "([0-9a-f]{64})"}\n', file.read_text()).groups()
    assert hashlib.sha256(f"{line}}}".encode()).hexdigest() == checksum == json.loads(file.read_text())["checksum"]
    script = """sed 's/, "checksum": "[0-9a-f]*"}$/}/' "$0" | tr -d '\\n' | sha256sum"""
    said = subprocess.run(["sh", "-c", script, file], capture_output=True, text=True, check=True).stdout
    assert said.split()[0] == checksum


CHANGED = "it was changed: its checksum does not fit"
EDITS = {
    "blank": (lambda content: b"\n \n", "it is empty"),
    "a score": (lambda content: content.replace(b"[0.5, 0.25]", b"[9.0, 0.25]"), CHANGED),
    "other form": (lambda content: json.dumps(json.loads(content), indent=1).encode(), CHANGED),
    "checksum": (lambda content: re.sub(rb'"checksum": "....', b'"checksum": "0000', content), CHANGED),
    "schema alone": (lambda content: content.replace(b'"schema": 3', b'"schema": 2'), CHANGED),
    "no checksum": (lambda content: re.sub(rb', "checksum": "\w+"', b"", content), "it has no checksum"),
    "null": (lambda content: re.sub(rb'"checksum": "\w+"', b'"checksum": null', content), CHANGED),
    "no number": (lambda content: content.replace(b"[0.5, 0.25]", b"[NaN, 0.25]"), "it is no JSON: NaN is no number"),
}


@pytest.mark.parametrize(("change", "why"), EDITS.values(), ids=EDITS)
def test_a_file_that_was_edited_is_refused(record, change, why):
    content = run_content(record, "0")
    assert parse_run(content, record.run_id)[0].verified
    assert change(content) != content
    with pytest.raises(RecordError) as refused:
        parse_run(change(content), record.run_id)
    assert str(refused.value) == why


def signed(content: bytes) -> bytes:
    """The content of a run's file with a checksum that fits."""
    line = content.rpartition(b', "checksum"')[0] + b"}"
    return line[:-1] + b', "checksum": "' + hashlib.sha256(line).hexdigest().encode() + b'"}\n'


def test_a_number_of_hundreds_of_digits_is_refused(record):
    content = run_content(record, "0" * 64)
    assert parse_run(signed(content), record.run_id)
    with pytest.raises(RecordError, match="a number of 401 digits"):
        parse_run(
            signed(re.sub(rb'"learn_seconds": \[[^,\]]+', b'"learn_seconds": [1' + b"0" * 400, content)), record.run_id
        )


def test_a_summary_that_is_not_that_of_the_scores_is_named(record):
    content = run_content(record, "0" * 64)
    check_summary(content, record)
    forged = signed(
        re.sub(rb'"average_at_arrival": {"value": [^,]+', b'"average_at_arrival": {"value": 0.999', content)
    )
    assert forged != content
    with pytest.raises(RecordError, match=r"its summary has another average at arrival by \w+ than its scores"):
        check_summary(forged, parse_run(forged, record.run_id)[0])
    gone = replace(record, scores={"of-a-plugin-that-is-gone": record.scores[next(iter(record.scores))]})
    check_summary(
        signed(run_content(gone, "0" * 64).replace(b'"forgetting": {"value": ', b'"forgetting": {"value": 7')), gone
    )
    older = re.sub(rb', "checksum": "\w+"', b"", forged)
    check_summary(older, record)


def test_every_flipped_bit_of_a_record_is_detected(record):
    content = run_content(record, "0").rstrip()
    for position in range(0, len(content), 11):
        flipped = content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]
        with pytest.raises(RecordError):
            parse_run(flipped, record.run_id)


def test_line_ends_of_another_system_do_not_matter(record):
    content = run_content(record, "0")
    assert parse_run(content.replace(b"\n", b"\r\n"), record.run_id)[0].verified


def test_a_record_of_an_older_schema_is_read_and_unverified_also_when_it_is_written_again(record):
    store = make_results(record)
    file = store.run_file(record.run_id)
    file.write_bytes(older(file.read_bytes()))
    for _ in range(2):
        assert not store.load(record.run_id).verified
        assert not RunStore(store.folder).index()[record.run_id].verified
        store.save(store.load(record.run_id))
    edit(file, first_schema=3)
    assert RunStore(store.folder).load(record.run_id) is None


def as_lists(steps):
    return [{task: labels.tolist() for task, labels in step.items()} for step in steps]


def test_labels_come_back_and_numpy_reads_their_file_without_pickle_by_step_and_position(record):
    store = make_results(record)
    assert as_lists(store.load_labels(record.run_id)) == as_lists(record.labels)
    with np.load(store.labels_file(record.run_id), allow_pickle=False) as archive:
        stored = {name: archive[name].tolist() for name in archive}
    assert stored == {"step-1-task-1": [0, 1, 1], "step-2-task-1": [1, 1, 0], "step-2-task-2": [2, 0]}
    assert json.loads(store.run_file(record.run_id).read_text())["labels_digest"] == record.labels_digest


def test_the_same_labels_are_the_same_bytes_at_any_time_of_day(record, monkeypatch):
    packed = pack_labels(record)
    monkeypatch.setattr(time, "time", lambda: 4e8)
    assert pack_labels(record) == packed


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

from __future__ import annotations

import pytest
from making import make_record
from reading_sheets import by_name

from lcbench.records.record import FAILED
from lcbench.report.audit_table import audit_rows, audit_sheet

KB = 1000


def record(label="m", setting="lifelong", sizes=(9000, 9000), status="ok", **audit):
    """A run audited on tasks of 50 kB, after each of which it held so many bytes."""
    measure = {
        "task_bytes": [50 * KB] * len(sizes), "clusters": [3] * len(sizes), "state_bytes_before": 100,
        "held_bytes": list(sizes), "reachable": [0] * len(sizes), "first_reachable": None, "complete": True,
        "seconds": 0.01,
    }  # fmt: skip
    state = [100 + size for size in sizes]
    order = [f"t{i}" for i in range(len(sizes))]
    audit = {"measure": measure, **audit}
    return make_record(label, setting=setting, order=order, status=status, state_bytes=state, audit=audit)


def test_each_method_has_a_row_with_what_it_keeps_and_promises():
    single = record("k", "single-task", (0, 0))
    multi = record("u", "multi-task", (50 * KB, 100 * KB), poison={"passed": False, "step": 2, "task": "t1"})
    rows = audit_rows([record(), single, multi])
    sheet = audit_sheet(rows)
    assert by_name(sheet) == [
        {
            "stream": "s", "method": "m", "setting": "lifelong", "keeps": "a library of 9.0 kB", "as promised": "yes",
            "state": "9.1 kB", "isolate": "–", "poison": "–",
        },
        {
            "stream": "s", "method": "k", "setting": "single-task", "keeps": "nothing", "as promised": "yes",
            "state": "100 B", "isolate": "–", "poison": "–",
        },
        {
            "stream": "s", "method": "u", "setting": "multi-task", "keeps": "its data", "as promised": "yes",
            "state": "100.1 kB", "isolate": "–", "poison": "differs",
        },
    ]  # fmt: skip
    assert sheet.notes == ()
    assert [row.replayed for row in rows] == [False, False, True]


def test_the_worst_verdict_of_several_runs_is_shown_and_complained_about():
    passed, failed = {"passed": True}, {"passed": False, "step": 2, "task": "t1", "repeats": True}
    broken = audit_rows([record(isolate=passed), record(isolate=failed), record(isolate=passed)])
    unknown = audit_rows([record("n", sizes=(9000, 9000)), record("n", sizes=(9000,)), record("n", sizes=(0, 0))])
    sheet = audit_sheet([*broken, *unknown])
    (first, second), promised = by_name(sheet), sheet.header.index("as promised")
    assert (first["keeps"], first["as promised"], first["isolate"]) == ("its data", "NO", "differs (1 of 3 runs)")
    assert (second["keeps"], second["as promised"]) == ("cannot be told", "?")
    assert [row[promised].tone for row in sheet.rows] == ["bad", ""]
    assert sheet.notes[0].startswith("Promise broken: m on s is lifelong and keeps its data (")
    assert sheet.notes[1].startswith("Not proved: n on s ")


@pytest.mark.parametrize(
    ("outcomes", "word"),
    [([True, True], "same"), ([True, None], "not possible"), ([None, False], "differs (1 of 2 runs)")],
)
def test_the_outcome_of_a_replay_is_shown_in_a_word(outcomes, word):
    (row,) = audit_rows([record(poison={"passed": passed, "step": 1, "task": "t0"}) for passed in outcomes])
    assert row.poison == word


def test_runs_that_failed_and_runs_without_an_audit_have_no_row():
    assert audit_rows([record(status=FAILED), make_record()]) == []

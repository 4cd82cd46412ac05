from __future__ import annotations

import pytest

from lcbench.records.record import FAILED, RunRecord
from lcbench.report.audit_rows import HEADER, audit_rows

KB = 1000


def record(label="m", setting="lifelong", sizes=(9000, 9000), stream="s", status="ok", **audit):
    measure = {
        "task_bytes": [50 * KB] * len(sizes), "clusters": [3] * len(sizes), "state_bytes_before": 100,
        "held_bytes": list(sizes), "reachable": [0] * len(sizes), "first_reachable": None, "complete": True,
        "seconds": 0.01,
    }  # fmt: skip
    return RunRecord(
        method=label, revision=1, params={}, setting=setting, stream=stream, stream_params={}, stream_digest="d",
        order=tuple(f"t{i}" for i in range(len(sizes))), seed=0, repeat=0, label=label, stream_label=stream,
        status=status, state_bytes=[100 + size for size in sizes], audit={"measure": measure, **audit},
    )  # fmt: skip


def test_each_method_has_a_row_with_what_it_keeps_and_promises():
    single = record("k", "single-task", (0, 0))
    multi = record("u", "multi-task", (50 * KB, 100 * KB), poison={"passed": False, "step": 2, "task": "t1"})
    rows = audit_rows([record(), single, multi])
    assert [dict(zip(HEADER, row.cells, strict=True)) for row in rows] == [
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
    assert [row.replayed for row in rows] == [False, False, True]


def test_the_worst_verdict_of_several_runs_is_shown():
    passed, failed = {"passed": True}, {"passed": False, "step": 2, "task": "t1", "repeats": True}
    (row,) = audit_rows([record(isolate=passed), record(isolate=failed), record(isolate=passed)])
    assert row.cells[3:5] == ("its data", "NO")
    assert row.isolate == "differs (1 of 3 runs)"
    (row,) = audit_rows([record(sizes=(9000, 9000)), record(sizes=(9000,)), record(sizes=(0, 0))])
    assert row.cells[3:5] == ("cannot be told", "?")


@pytest.mark.parametrize(
    ("outcomes", "word"),
    [([True, True], "same"), ([True, None], "not possible"), ([None, False], "differs (1 of 2 runs)")],
)
def test_the_outcome_of_a_replay_is_shown_in_a_word(outcomes, word):
    results = [{"passed": passed, "step": 1, "task": "t0"} for passed in outcomes]
    (row,) = audit_rows([record(poison=result) for result in results])
    assert row.poison == word


def test_runs_that_failed_and_runs_without_an_audit_have_no_row():
    plain = record()
    plain.audit = {}
    assert audit_rows([record(status=FAILED), plain]) == []

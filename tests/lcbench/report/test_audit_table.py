from __future__ import annotations

from dataclasses import replace

import pytest
from making import make_audited, make_record
from reading_sheets import by_name

from lcbench.records.record import FAILED
from lcbench.report.audit_table import audit_rows, audit_sheet, open_places


def test_each_method_has_a_row_with_what_it_keeps_and_promises():
    poison = {"poison": {"passed": False, "step": 2, "task": "t1"}}
    multi = make_audited("u", "multi-task", (50_000, 100_000), audit=poison)
    rows = audit_rows([make_audited(), make_audited("k", "single-task", (0, 0)), multi])
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
    assert sheet.notes == (
        "Not excluded: copies in other libraries, files, other processes, samples in a library of fixed size.",
    )
    assert [row.replayed for row in rows] == [False, False, True]


def test_the_worst_verdict_of_several_runs_is_shown_and_complained_about():
    passed, failed = {"passed": True}, {"passed": False, "step": 2, "task": "t1", "repeats": True}
    broken = audit_rows([make_audited(audit={"isolate": found}) for found in (passed, failed, passed)])
    unknown = audit_rows([make_audited("n", held=held) for held in ((9000, 9000), (9000,), (0, 0))])
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
    found = [{"poison": {"passed": passed, "step": 1, "task": "t0"}} for passed in outcomes]
    (row,) = audit_rows([make_audited(audit=audit) for audit in found])
    assert row.poison == word


def test_a_method_that_does_not_repeat_itself_is_told_from_one_that_was_caught():
    differs = {"passed": False, "step": 2, "task": "t1"}
    restless = make_audited("r", audit={"isolate": {**differs, "repeats": False}})
    caught = make_audited("c", audit={"isolate": {**differs, "repeats": True}})
    rows = audit_rows([restless, caught])
    assert [row.isolate for row in rows] == ["no repeat", "differs"]
    assert [row.complaint.partition(":")[0] for row in rows] == ["Does not repeat itself", "Promise broken"]
    (both,) = audit_rows([restless, replace(caught, label="r")])
    assert both.isolate == "differs (2 of 2 runs)", "the worst one counts"


def test_methods_that_were_audited_otherwise_have_a_sentence_each_on_what_is_not_excluded():
    sealed = make_audited("s", audit={"isolate": {"passed": True}}, sealed=True)
    private = make_audited("p", audit={"isolate": {"passed": True, "private_folders": True}})
    _, first, second = open_places(audit_rows([make_audited(), sealed, private]))
    assert first == "Not excluded for s: data that are installed, samples in a library of fixed size."
    assert second.startswith("Not excluded for p: files outside of /tmp and home, what earlier runs left, ")
    assert second.endswith("; --sealed excludes most of it.")


def test_runs_that_failed_and_runs_without_an_audit_have_no_row():
    assert audit_rows([make_audited(status=FAILED), make_record()]) == []

from __future__ import annotations

from dataclasses import replace

import pytest
from making import make_audited
from rich.console import Console

from lcbench.cli.audit_text import audit_lines, print_audit
from lcbench.records.record import RunRecord


def audited(label: str, setting: str, held: tuple[int, ...], **audit) -> RunRecord:
    return make_audited(label, setting, held, audit=audit, scores={})


def printed(*runs: RunRecord, **options) -> str:
    console = Console(width=120, highlight=False, **options)
    with console.capture() as capture:
        print_audit(runs, console)
    return capture.get()


def said(*runs: RunRecord) -> str:
    return " ".join(printed(*runs).split())


HONEST = audited("l2sc", "lifelong", (9000, 9000))
SINGLE = audited("stsc", "single-task", (0, 0))
MULTI = audited("usc", "multi-task", (50_000, 100_000))
CHEAT = audited("cheat", "lifelong", (50_000, 100_000))
SHORT = audited("short", "lifelong", (9000,))


def test_methods_that_keep_their_promises_get_one_sentence_that_says_how_deep_the_audit_was():
    assert said(HONEST, SINGLE, MULTI) == (
        "Audit: every method keeps what its setting promises as far as measured (--audit isolate looks further): "
        "l2sc a library of 9.0 kB, stsc nothing, usc its data."
    )
    many = [audited(f"stsc-{i}", "single-task", (0, 0)) for i in range(5)]
    assert ("stsc" in said(*many[:4]), "stsc" in said(*many)) == (True, False)


def test_the_table_is_shown_when_runs_were_made_again_to_be_compared():
    shown = said(audited("l2sc", "lifelong", (9000, 9000), isolate={"passed": True}))
    assert "lifelong a library of 9.0 kB yes 9.1 kB same –" in shown
    assert "Audit: every method keeps what its setting promises: l2sc" in shown


def test_a_broken_promise_is_loud_and_says_why_and_one_that_cannot_be_checked_is_not_proved():
    shown = said(HONEST, CHEAT, SHORT)
    assert "poison" in shown  # the table
    assert "Audit: every method" not in shown
    assert "Promise broken: cheat on s is lifelong and keeps its data (it grows by 50.0 kB per task, 100% of a" in shown
    assert "Not proved: short on s is lifelong and cannot be told (one task cannot tell a library from data)." in shown
    assert shown.count("cannot be told (one task") == 1
    assert "\x1b[1;31mPromise broken" in printed(CHEAT, force_terminal=True, color_system="standard")


def test_runs_that_were_not_audited_have_no_summary_and_no_lines():
    assert printed(replace(HONEST, audit={})) == ""
    assert list(audit_lines(replace(HONEST, audit={}))) == []


def test_names_cannot_steer_the_terminal():
    assert "\x1b[31m" not in printed(audited("\x1b[31mred", "lifelong", (50_000, 100_000)))


@pytest.mark.parametrize(
    ("mode", "found", "line"),
    [
        ("isolate", {"passed": True, "seconds": 1.75}, "isolate: the same labels when run again; took 1.750 s"),
        (
            "poison",
            {"passed": False, "step": 2, "task": "b", "samples": 1200, "repeats": False, "seconds": 20.0},
            "poison: other labels when run again: first at step 2, task 'b' in 1,200 samples; "
            "but it does not repeat itself in any case; took 20.0 s",
        ),
        (
            "poison",
            {"passed": False, "step": 2, "task": "b", "error": "ValueError: no"},
            "poison: other labels when run again: first at step 2, task 'b'; ValueError: no",
        ),
        ("isolate", {"passed": None, "reason": "a lambda"}, "isolate: not possible: a lambda"),
        ("measure", {}, "measure: nothing was found out"),
        (
            "measure",
            {"held_bytes": [-5], "first_reachable": {"task": "a", "step": 3}, "complete": False},
            "measure: held up to 0 B after a task; reached the arrays of task 'a' after step 3; "
            "could not be searched whole",
        ),
    ],
    ids=str,
)
def test_the_findings_of_each_audit_of_a_run_are_one_line(mode, found, line):
    assert list(audit_lines(replace(HONEST, audit={mode: found})))[-1] == line

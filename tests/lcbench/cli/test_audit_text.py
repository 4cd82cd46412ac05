from __future__ import annotations

from dataclasses import replace

import pytest
from rich.console import Console

from lcbench.cli.audit_text import audit_parts, audit_summary
from lcbench.records.record import RunRecord


def record(label, setting, sizes, **audit):
    measure = {
        "task_bytes": [50_000] * len(sizes), "clusters": [3] * len(sizes), "state_bytes_before": 100,
        "held_bytes": list(sizes), "reachable": [0] * len(sizes), "first_reachable": None, "complete": True,
        "seconds": 0.01,
    }  # fmt: skip
    return RunRecord(
        method=label, revision=1, params={}, setting=setting, stream="s", stream_params={}, stream_digest="d",
        order=tuple(f"t{i}" for i in range(len(sizes))), seed=0, repeat=0, label=label, stream_label="s",
        state_bytes=[100 + size for size in sizes], audit={"measure": measure, **audit},
    )  # fmt: skip


def text(*runs, **options):
    console = Console(width=120, highlight=False)
    with console.capture() as capture:
        for renderable in audit_summary(runs, **options):
            console.print(renderable)
    return capture.get()


HONEST = record("l2sc", "lifelong", (9000, 9000))
SINGLE = record("stsc", "single-task", (0, 0))
MULTI = record("usc", "multi-task", (50_000, 100_000))
CHEAT = record("cheat", "lifelong", (50_000, 100_000))
SHORT = record("short", "lifelong", (9000,))


def test_methods_that_keep_their_promises_get_one_sentence_that_says_how_deep_the_audit_was():
    assert " ".join(text(HONEST, SINGLE, MULTI).split()) == (
        "Audit: every method keeps what its setting promises as far as measured (--audit isolate looks further): "
        "l2sc a library of 9.0 kB, stsc nothing, usc its data."
    )


def test_for_more_than_four_methods_the_sentence_does_not_list_what_each_keeps():
    many = [record(f"stsc-{i}", "single-task", (0, 0)) for i in range(5)]
    assert "stsc" in text(*many[:4])
    assert "stsc" not in text(*many)


def test_the_table_is_shown_when_asked_for_and_when_runs_were_made_again_to_be_compared():
    assert "as promised" in text(HONEST, full=True)
    compared = text(record("l2sc", "lifelong", (9000, 9000), isolate={"passed": True}))
    assert "same" in compared
    assert "Audit: every method keeps" in compared


def test_a_broken_promise_is_loud_and_says_why():
    shown = text(HONEST, CHEAT)
    assert "as promised" in shown
    assert "Audit: every method" not in shown
    sentence = "Promise broken: cheat on s is lifelong and keeps its data (it grows by 50.0 kB per task, 100% of a"
    assert sentence in shown
    assert [str(line.style) for line in audit_summary([CHEAT])][-1] == "bold red"


def test_a_promise_that_cannot_be_checked_is_reported_as_not_proved():
    shown = " ".join(text(HONEST, SHORT).split())
    assert "Not proved: short on s is lifelong and cannot be told (one task cannot tell a library from data)." in shown


def test_the_summary_of_runs_that_were_not_audited_is_empty():
    plain = record("old", "lifelong", (9000, 9000))
    plain.audit = {}
    assert text(plain) == ""


def test_names_cannot_steer_the_terminal():
    assert "\x1b[31m" not in text(record("\x1b[31mred", "lifelong", (50_000, 100_000)))


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
    assert [str(part) for part in audit_parts(replace(HONEST, audit={mode: found}))][-1] == line


def test_one_run_that_was_not_audited_has_no_audit_part():
    assert list(audit_parts(replace(HONEST, audit={}))) == []

"""What `results show` says of a run's figures and audits."""

from __future__ import annotations

import json
import re

import pytest

import lcbench
from lcbench.cli.audit_text import audit_parts
from lcbench.records.record import RunRecord
from lcbench.records.store import RunStore

R = [[0.80, 0.30, 0.25], [0.70, 0.82, 0.35], [0.74, 0.78, 0.85]]
A = [[1.0, None, None], [0.6, 1.0, None], [0.5, 0.9, 1.0]]
ALONE = [[0.70, None, None], [0.70, 0.75, None], [0.70, 0.75, 0.80]]


def make_run(**changes) -> RunRecord:
    return RunRecord(**{
        "method": "m", "revision": 1, "params": {}, "setting": "lifelong", "stream": "s", "stream_params": {},
        "stream_digest": "", "order": ("a", "b", "c"), "seed": 0, "repeat": 0, "label": "m", "stream_label": "s",
        "scores": {"purity": R}, "agreement": A, "state_bytes": [1, 1, 1],
    } | changes)  # fmt: skip


@pytest.fixture
def shown(command, tmp_path, monkeypatch):
    """What is shown of the last of some stored runs, with single spaces, by line."""

    def show(*runs, width=100):
        monkeypatch.setenv("COLUMNS", str(width))
        store = RunStore(tmp_path)
        for run in runs:
            store.save(run)
        called = command("results", "show", runs[-1].run_id, "--results", str(tmp_path))
        assert (called.code, called.err) == (0, "")
        return [" ".join(line.split()) for line in called.out.splitlines()]

    return show


def test_all_nine_figures_are_shown_beside_the_stored_baseline(shown):
    baseline = make_run(method="stsc", label="stsc", setting="single-task", scores={"purity": ALONE})
    lines = shown(baseline, make_run(baseline=baseline.run_id))
    for line in (
        "figure purity", "average at arrival 82.3", "average after all 79.0", "backward transfer -5.0",
        "forgetting +5.0", "forward transfer 30.0", "learning transfer +7.3", "gain over single task +4.0",
        "area under curve 78.3", "partition drift: 0.700, where 1 is none",
        "docs/formulas.md has each formula and what it needs.",
    ):  # fmt: skip
        assert line in lines, line


def test_figures_that_cannot_be_had_are_named(shown):
    lower = [[cell if j <= i else None for j, cell in enumerate(row)] for i, row in enumerate(R)]
    text = " ".join(shown(make_run(baseline="0" * 64, scores={"purity": lower}, agreement=[])))
    missing = "forward transfer, learning transfer, gain over single task, first task gain, partition drift"
    assert f"Not to be had: {missing}; docs/formulas.md" in text
    assert "forgetting +5.0" in text


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_number_is_cut_where_many_metrics_do_not_fit(shown, width):
    names = ["purity", "nmi", "ri", "ari", "ami", "accuracy", "nmi:average=geometric", "ri:include_diagonal=true"]
    lines = shown(make_run(scores=dict.fromkeys(names, R)), width=width)
    figures = lines[lines.index("Averages over tasks") :]
    found = " ".join(line for line in figures if line.startswith("backward"))
    assert re.findall(r"[+-]\d+\.\d\b", found) == ["-5.0"] * len(names)


def test_the_drift_of_an_older_run_comes_from_its_labels(shown, command, tmp_path):
    (run,) = lcbench.run("usc", "digits", baselines=False, out=tmp_path)
    drift = run.summary["nmi"]["partition_drift"]["value"]
    file = RunStore(tmp_path).run_file(run.run_id)
    file.write_text(json.dumps({**json.loads(file.read_text()), "agreement": []}))
    show = ("results", "show", run.run_id, "--results", str(tmp_path))
    assert f"partition drift: {drift:.3f}, " in command(*show).out
    RunStore(tmp_path).labels_file(run.run_id).unlink()
    called = command(*show)
    assert (called.code, "partition drift: " in called.out) == (0, False)


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
def test_an_audit_is_one_line(mode, found, line):
    assert [str(part) for part in audit_parts(make_run(audit={mode: found}))][-1] == line


def test_a_run_that_was_not_audited_says_nothing_about_it():
    assert list(audit_parts(make_run())) == []

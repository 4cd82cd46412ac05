"""`lcbench results show` of one run: its facts, scores and figures."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from edited_records import write_older
from making import make_record, make_results

import lcbench
from lcbench.cli.run_sheet import audit_lines, run_sheets
from lcbench.errors import RecordError

R = [[0.80, 0.30, 0.25], [0.70, 0.82, 0.35], [0.74, 0.78, 0.85]]
LOWER = [[cell if j <= i else None for j, cell in enumerate(row)] for i, row in enumerate(R)]
A = [[1.0, None, None], [0.6, 1.0, None], [0.5, 0.9, 1.0]]
SOLO = {"a": 0.75, "b": 0.80, "c": 0.90}
BASELINE = make_record("stsc", [[0.70, 0, 0], [0.70, 0.75, 0], [0.70, 0.75, 0.80]], order="abc", setting="single-task")


def make_run(**changes):
    return make_record("m", **{"R": R, "order": "abc", "agreement": A} | changes)


@pytest.fixture
def shown(command, monkeypatch):
    """Stores some runs and returns the lines that are shown of the last one, with single spaces."""

    def show(*runs, width=200):
        monkeypatch.setenv("COLUMNS", str(width))
        make_results(*runs)
        called = command("results", "show", runs[-1].run_id[:12])
        assert (called.code, called.err) == (0, "")
        return called.lines

    return show


def test_what_ran_how_it_ended_what_it_cost_and_where_the_files_are(shown):
    run = make_record(
        "mine", method="m", params={"lam": 1.0}, stream_params={"tasks": 2}, stream_digest="s-1",
        stream_label="s:tasks=2", repeat=1, baseline=BASELINE.run_id, peak_bytes=5_000_000, note="mind this",
        state_bytes=[10, 2000], future=True, environment={"python": "3", "packages": {"numpy": "2.0"}},
        audit={"measure": {"held_bytes": [0, 120], "task_bytes": [2000, 4000], "seconds": 0.5}},
        tune={"protocol": "oracle", "metric": "nmi", "grid": []},
        choice={"params": {"lam": 10.0}, "points": [{"run_id": None}] * 6, "run_id": "c" * 64, "search_seconds": 12.0},
        code={"version": "1.0", "sha256": "ab", "packages": {"p": {"version": "2", "sha256": "cd"}}},
        command="lcbench run --method mine=m",
    )  # fmt: skip
    lines = shown(run)
    for line in (
        f"run {run.run_id}", "method m, called mine", "its parameters lam=1", "setting lifelong",
        "stream s, called s:tasks=2", "its parameters tasks=2", "its digest s-1", "order a, b", "seed 0", "repeat 1",
        "threads 1", "note mind this", "evaluated all, and tasks to come", "code version 1.0", "code sha256 ab",
        "code of p 2, cd", "record verified by its checksum",
        "tuned by oracle, nmi", "points 6", "chosen lam=10", f"as in run {'c' * 64}", "search 12.0 s",
        "status ok", "finished 2026-01-01T00:00:00.000+00:00", "learning 3.000 s", "predicting 0.500 s",
        "scoring 0.200 s", "state 2.0 kB after the last task", "peak memory 5.0 MB", "lcbench run --method mine=m",
        "s:tasks=2: purity in percent, by number of tasks learned", "mine a 50.0 60.0", "b 80.0",
        "a 1.000 0.000 0.100 10 B", "b 2.000 0.500 0.100 2.0 kB",
        "measure: held up to 120 B after a task, beside 6.0 kB of data; could reach no array of a task it had learned; "
        "took 0.500 s",
        "python 3", "packages numpy 2.0", f"record: lcbench-results/runs/{run.run_id}.json",
    ):  # fmt: skip
        assert line in lines, line


def test_a_long_command_is_cut_into_lines_that_a_shell_joins(command):
    words = ["lcbench", "run", *(word for n in range(9) for word in ("--stream", f"s{n}=/my data/{n}:label=y"))]
    make_results(run := make_run(command=shlex.join(words)))
    out = command("results", "show", run.run_id).out
    pasted = out.split("Made by\n")[1].split("\n\n")[0]
    assert pasted.count("\n") > 3
    assert max(map(len, pasted.splitlines())) < 80
    assert shlex.split(pasted.replace("\\\n", "")) == words


def test_all_figures_are_shown_beside_the_stored_baseline_and_the_solo_runs(shown):
    solos = [make_record("m", [[score]], order=task) for task, score in SOLO.items()]
    lines = shown(BASELINE, *solos, make_run(baseline=BASELINE.run_id))
    for line in (
        "figure purity", "average at arrival 82.3", "average after all 79.0", "backward transfer -5.0",
        "forgetting +5.0", "solo average 81.7", "forward +0.7", "backward -3.3", "total transfer -2.7",
        "first task noise +5.0", "own gain +6.7", "learning gain +7.3", "gain over single task +4.0",
        "average before learning 30.0", "area under curve 78.3",
        "partition agreement: 0.700, where 1 is the same partition", "a 70.0 80.0 70.0 74.0",
        "Column 0 is the single-task baseline (stsc).", "docs/formulas.md has each formula and what it needs.",
    ):  # fmt: skip
        assert any(line in each for each in lines), line
    assert not any("Not available" in line for line in lines)


def test_figures_that_are_not_available_are_named(shown):
    text = " ".join(shown(make_run(baseline="0" * 64, R=LOWER, agreement=[])))
    missing = (
        "solo average, forward, total transfer, first task noise, own gain, learning gain, gain over single task, "
        "average before learning, partition agreement"
    )
    assert f"Not available: {missing}; docs/formulas.md" in text
    assert "forgetting +5.0" in text


def test_tasks_to_come_are_in_brackets(shown):
    lines = shown(make_run(future=True))
    assert {"b [30.0] 82.0 78.0", "In brackets: tasks not learned yet."} <= set(lines)


@pytest.mark.parametrize("width", [40, 80])
def test_no_number_is_cut_where_many_metrics_do_not_fit(shown, width):
    names = ["purity", "nmi", "ri", "ari", "ami", "accuracy", "nmi:average=geometric", "ri:include_diagonal=true"]
    lines = shown(make_run(scores=dict.fromkeys(names, R)), width=width)
    figures = lines[lines.index("Averages over tasks") :]
    for figure, value in (("backward transfer", "-5.0"), ("backward", "-3.3")):
        found = [match[1] for line in figures if (match := re.fullmatch(rf"{figure}((?: [+-]\d+\.\d)+)", line))]
        assert " ".join(found).split() == [value] * len(names)


def test_the_labels_of_a_real_run_are_named_and_give_the_agreement_that_its_record_has_not(command, blob_stream):
    (run,) = lcbench.run("usc", blob_stream, baselines=False, out="lcbench-results", executor=lcbench.InProcess())
    file, labels = (Path(f"lcbench-results/{name}/{run.run_id}") for name in ("runs", "labels"))
    file = file.with_suffix(".json")
    write_older(file, agreement=[])
    labels = labels.with_suffix(".npz")
    lines = command("results", "show", run.run_id).lines
    agreement = run.summary["nmi"]["partition_agreement"]["value"]
    said = f"partition agreement: {agreement:.3f}, where 1 is the same partition"
    assert {said, f"labels: {labels}"} <= set(lines)
    labels.unlink()
    lines = command("results", "show", run.run_id).lines
    assert f"labels: {labels} is missing" in lines
    assert not any(line.startswith("partition agreement: ") for line in lines)


def test_a_run_that_failed_has_its_error_and_the_scores_that_it_reached(shown, runs):
    lines = shown(runs.failed)
    assert {"status failed, after 1 of 2 tasks", "error it broke", "line 1", "line 2", "theirs a 50.0"} <= set(lines)
    assert "Averages over tasks" not in lines
    lines = shown(runs.crashed)
    assert "status crashed, after 0 of 2 tasks" in lines
    assert not any("percent" in line for line in lines)


def test_a_run_that_was_removed_meanwhile_is_refused():
    with pytest.raises(RecordError, match=r"Run 'abc' cannot be read any more\."):
        next(run_sheets(make_results(), "abc"))


@pytest.mark.parametrize(
    ("mode", "found", "line"),
    [
        ("isolate", {"passed": True, "seconds": 1.75}, "isolate: the same labels when run again; took 1.750 s"),
        (
            "poison",
            {"passed": False, "step": 2, "task": "b", "samples": 1200, "repeats": False, "seconds": 20.0},
            "poison: other labels when run again, with and without old tasks: it does not repeat itself; took 20.0 s",
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
    assert list(audit_lines(make_run(audit={mode: found})))[-1] == line


def test_a_run_that_was_not_audited_has_no_findings():
    assert list(audit_lines(make_run())) == []


def test_what_was_counted_outside_and_whose_process_it_was(shown):
    facts = {"clock": 2, "pickle_seconds": [0.25, 0.5], "cpu_seconds": 4.0, "isolated": True, "sealed": True}
    lines = shown(make_record("m", **facts, processes_left=2))
    for line in (
        "pickling 0.750 s", "CPU time 4.000 s", "process its own, sealed",
        "processes left 2, which were ended", "clock 2: building the method and reading its labels count as learning",
        "learn predict pickle score", "a 1.000 0.000 0.250 0.100 10 B",
    ):  # fmt: skip
        assert line in lines, line


def test_a_run_in_the_callers_process_says_so(shown):
    lines = shown(make_record("m", clock=2, isolated=False))
    assert "process ran in the caller's process, not in one of its own" in lines
    assert "processes left 0" in lines


def test_a_run_of_version_0_1_shows_nothing_that_it_did_not_record(shown):
    lines = shown(make_record("m"))
    assert "learn predict score" in lines
    assert not any(line.startswith(("pickling", "CPU", "process", "clock")) for line in lines)

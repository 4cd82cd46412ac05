"""`lcbench results show` of one run: its facts, scores and figures."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from making import make_record, make_results

import lcbench
from lcbench.cli.run_sheet import run_sheets
from lcbench.errors import RecordError
from lcbench.records.store import RunStore

R = [[0.80, 0.30, 0.25], [0.70, 0.82, 0.35], [0.74, 0.78, 0.85]]
A = [[1.0, None, None], [0.6, 1.0, None], [0.5, 0.9, 1.0]]
ALONE = [[0.70, None, None], [0.70, 0.75, None], [0.70, 0.75, 0.80]]


def make_run(label="m", **changes):
    return make_record(label, changes.pop("R", R), order="abc", **({"agreement": A} | changes))


def words(text):
    return " ".join(text.split())


@pytest.fixture
def shown(command, tmp_path, monkeypatch):
    """Stores some runs and returns the lines that are shown of the last one, with single spaces."""

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
    baseline = make_run("stsc", setting="single-task", R=ALONE)
    lines = shown(baseline, make_run(baseline=baseline.run_id))
    for line in (
        "figure purity", "average at arrival 82.3", "average after all 79.0", "backward transfer -5.0",
        "forgetting +5.0", "forward transfer 30.0", "learning transfer +7.3", "gain over single task +4.0",
        "area under curve 78.3", "partition drift: 0.700, where 1 is none",
        "docs/formulas.md has each formula and what it needs.",
    ):  # fmt: skip
        assert line in lines, line


def test_figures_that_are_not_available_are_named(shown):
    lower = [[cell if j <= i else None for j, cell in enumerate(row)] for i, row in enumerate(R)]
    text = " ".join(shown(make_run(baseline="0" * 64, R=lower, agreement=[])))
    missing = "forward transfer, learning transfer, gain over single task, first task gain, partition drift"
    assert f"Not available: {missing}; docs/formulas.md" in text
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


def test_show_has_what_ran_how_it_ended_and_where_the_files_are(command, folder, monkeypatch, runs):
    monkeypatch.setenv("COLUMNS", "200")
    run = replace(
        runs.ok, repeat=1, baseline=runs.failed.run_id, peak_bytes=5_000_000, note="mind this",
        audit={"measure": {"held_bytes": [0, 120], "task_bytes": [2000, 4000], "seconds": 0.5}},
        tune={"protocol": "oracle", "metric": "nmi", "grid": []},
        choice={"params": {"lam": 10.0}, "points": [{}] * 6, "run_id": "c" * 64, "search_seconds": 12.0},
    )  # fmt: skip
    RunStore(folder).save(run)
    called = command("results", "show", run.run_id[:4])
    assert (called.code, called.err) == (0, "")
    facts = [words(line) for line in called.out.splitlines()]
    for fact in (
        f"run {run.run_id}", "method m, called mine", "its parameters lam=1", "setting lifelong",
        "stream s, called s:tasks=2",
        "its parameters tasks=2", "its digest s-1", "order north, south", "seed 0", "repeat 1", "threads 1",
        "note mind this", "tuned by oracle, nmi", "points 6", "chosen lam=10", f"as in run {'c' * 64}", "search 12.0 s",
        "status ok", "finished 2026-01-01T00:00:00.000+00:00", "learning 3.000 s", "predicting 0.500 s",
        "scoring 0.200 s",
        "state 2.0 kB after the last task", "peak memory 5.0 MB",
        "s:tasks=2: purity in percent, by number of tasks learned", "mine north 50.0 60.0", "south 80.0",
        "average at arrival 65.0 30.0", "average after all 70.0 35.0", "backward transfer +10.0 +10.0",
        "north 1.000 0.000 0.100 10 B", "south 2.000 0.500 0.100 2.0 kB",
        "measure: held up to 120 B after a task, beside 6.0 kB of data; could reach no array of a task it had learned; "
        "took 0.500 s",
        "python 3.11", "packages numpy 2.0",
        f"record: lcbench-results/runs/{run.run_id}.json",
    ):  # fmt: skip
        assert fact in facts, fact


def test_show_has_the_baseline_of_a_real_run_in_column_0(command, tmp_path, blob_stream):
    results = lcbench.run("l2sc:n_neighbors=5", blob_stream, out=tmp_path)
    baseline, run = results
    out = command("results", "show", run.run_id, "--results", str(tmp_path)).out
    assert f"Column 0 is the single-task baseline ({baseline.label})." in out
    start = baseline.scores["purity"][0][0]
    assert re.search(rf"task-1 +{100 * start:.1f} ", out)
    assert f"labels: {tmp_path}/labels/{run.run_id}.npz" in words(out)


def test_show_has_the_scores_and_the_error_of_a_failed_run(command, folder, runs):
    facts = [words(line) for line in command("results", "show", runs.failed.run_id).out.splitlines()]
    for fact in ("status failed, after 1 of 2 tasks", "error it broke", "line 1", "line 2", "theirs north 50.0"):
        assert fact in facts
    assert "Averages over tasks" not in facts


def test_the_code_and_the_tasks_to_come_of_a_run_are_shown(shown):
    lines = shown(make_run(future=True, code={"version": "1.0", "sha256": "ab"}))
    for line in ("code version 1.0", "code sha256 ab", "evaluated all, and tasks to come"):
        assert line in lines
    assert "In brackets: tasks not learned yet." in lines
    assert "a 80.0 70.0 74.0" in " ".join(lines)
    assert "b [30.0] 82.0 78.0" in lines


def test_a_run_that_was_removed_meanwhile_is_refused():
    with pytest.raises(RecordError, match=r"Run 'abc' cannot be read any more\."):
        next(run_sheets(make_results(), "abc"))


def test_a_run_that_crashed_before_its_first_score_has_no_score_table(command, folder, runs):
    called = command("results", "show", runs.crashed.run_id)
    assert called.code == 0
    assert "status crashed, after 0 of 2 tasks" in words(called.out)
    assert "percent" not in called.out

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

TASKS = ["task-1", "task-2", "task-3", "task-4"]
KEYS = {
    "run_id", "method", "params", "setting", "stream", "stream_params", "order", "seed", "repeat", "status", "scores",
    "labels_digest", "learn_seconds", "predict_seconds", "state_bytes", "objective_trace", "summary", "environment",
}  # fmt: skip


def table(text: str, title: str) -> dict[str, list[str]]:
    """The header and the rows of the table under `title`; cells that are empty are left out."""
    lines = text[text.index(title) :].splitlines()
    header = next(line for line in lines if line.split()[:2] == ["method", "task"])
    rows = {"header": header.split()[2:]}
    for line in lines[lines.index(header) + 2 :]:
        if not line.strip():
            break
        name, cells = re.search(r"(task-\d|average|gain over 0) +(.*)", line).groups()
        rows[name] = cells.split()
    return rows


def test_without_arguments_l2sc_and_stsc_run_on_digits_and_l2sc_learns_each_task_alone_too(command):
    stsc, l2sc, *solos = command("run", "--json").runs
    assert [(run["method"], run["stream"]) for run in (stsc, l2sc)] == [("stsc", "digits"), ("l2sc", "digits")]
    assert [(run["method"], run["order"]) for run in solos] == [("l2sc", [task]) for task in TASKS]
    shown = command("run").out
    assert "digits: purity in percent, by number" in shown
    assert "digits: nmi in percent, by number" not in shown
    out = command("run", "--verbose").out
    for metric in ("purity", "nmi", "ri", "ari"):
        rows = table(out, f"digits: {metric} in percent")
        assert list(rows) == ["header", *TASKS, "average", "gain over 0"]
        assert rows["header"] == ["0", "1", "2", "3", "4"]
        alone, R = stsc["scores"][metric], l2sc["scores"][metric]
        columns = [[alone[j][j] for j in range(4)], *(R[i][: i + 1] for i in range(4))]
        for j, task in enumerate(TASKS):
            expected = [100 * alone[j][j], *(100 * R[i][j] for i in range(j, 4))]
            assert [float(cell) for cell in rows[task]] == pytest.approx(expected, abs=0.051)
        means = [100 * np.mean(column) for column in columns]
        assert [float(cell) for cell in rows["average"]] == pytest.approx(means, abs=0.051)
    overview = out.split("averages over tasks after all of them, seconds to learn")[1]
    for run in (stsc, l2sc):
        after_all = [100 * np.mean(run["scores"][metric][-1]) for metric in ("purity", "nmi", "ri", "ari")]
        (cells,) = re.findall(rf"^ {run['method']} +1 +(.*)$", overview, re.MULTILINE)
        shown = [float(cell.lstrip("*")) for cell in cells.split()[:4]]
        assert shown == pytest.approx(after_all, abs=0.051)
    assert "l2sc: old tasks re-encoded when asked" in out
    assert "re-encoded" not in command("run", "-m", "l2sc:encoding=frozen").out


def test_json_prints_what_is_stored_of_each_run_and_nothing_else(command):
    random = ("-s", "digits:tasks=2", "--order", "random", "--repeats", "2")
    called = command("run", "--json", *random, "--results", "new/results")
    assert [len(run["order"]) for run in called.runs] == [2, 2, 1, 1] * 2
    folder = Path("new", "results")
    for run in called.runs:
        assert set(run) >= KEYS
        written = json.loads((folder / "runs" / f"{run['run_id']}.json").read_text())
        environment = json.loads((folder / "environments" / f"{written['environment']}.json").read_text())
        assert {**written, "environment": environment} == {**run, "checksum": written["checksum"]}
        steps = len(run["order"])
        lists = ("learn_seconds", "predict_seconds", "state_bytes", "objective_trace")
        assert all(len(run[key]) == steps for key in lists)
        R = run["scores"]["purity"]
        arrival = {"value": pytest.approx(np.mean([R[i][i] for i in range(steps)])), "formula": "mean-diagonal"}
        assert run["summary"]["purity"]["average_at_arrival"] == arrival
        with np.load(folder / "labels" / f"{run['run_id']}.npz") as labels:
            assert len(labels.files) == steps * (steps + 1) / 2
            assert labels[f"step-{steps}-task-1"].shape == (80,)
    assert sum(path.is_file() for path in folder.rglob("*")) == 8 + 8 + 1 + 1  # the last is the index


def scored(*counts: int) -> list[list[bool]]:
    return [[j < count for j in range(4)] for count in counts]


@pytest.mark.parametrize(
    ("line", "cells"),
    {
        "--evaluate last -m stsc": scored(0, 0, 0, 4),
        "--evaluate every:3 -m stsc": scored(0, 0, 3, 4),
        "--future -m l2sc": scored(4, 4, 4, 4),
        "--future -m usc": scored(1, 2, 3, 4),  # it cannot label what it has not learned
    }.items(),
)
def test_evaluate_and_future_say_which_scores_there_are(command, line, cells):
    (run,) = command("run", "--json", "--no-baseline", "--no-solo", *line.split()).runs
    assert [[cell is not None for cell in row] for row in run["scores"]["ri"]] == cells


def test_a_metric_that_is_named_is_computed_and_shown_instead_of_the_usual_ones(command):
    stsc = ("run", "-m", "stsc", "-s", "digits:tasks=2")
    out = command(*stsc, "--metric", "silhouette").out
    assert "digits:tasks=2: silhouette, by number" in out
    assert "purity" not in out
    assert "silhouette" in command(*stsc, "--json", "--metric", "silhouette").runs[0]["scores"]
    assert "silhouette" not in command(*stsc, "--json", "--fresh").runs[0]["scores"]


def test_a_listed_order_may_name_a_part_of_the_tasks_and_an_alias_stands_in_for_the_method(command):
    line = ("run", "--order", "task-3,task-1", "-m", "mine=l2sc:lam=2", "--metric", "ri")
    called = command(*line)
    assert list(table(called.out, "digits: ri")) == ["header", "task-3", "task-1", "average", "gain over 0"]
    assert re.search(r"^ mine +task-3 ", called.out, re.MULTILINE)
    assert "digits: mine: done" in called.err
    orders = [run["order"] for run in command(*line, "--json").runs]
    assert sorted(orders) == [["task-1"], ["task-3"], *[["task-3", "task-1"]] * 2]


def test_a_baseline_takes_the_parameters_it_shares_and_is_an_ordinary_run(command):
    baseline, run = command("run", "--json", "--no-solo", "-m", "l2sc:affinity=full,lam=2").runs
    assert (baseline["method"], baseline["label"]) == ("stsc", "stsc:affinity=full")
    assert baseline["params"] == {key: run["params"][key] for key in baseline["params"]}
    assert run["baseline_run_id"] == baseline["run_id"]
    alone = command("run", "--json", "-m", "stsc:affinity=full").runs
    assert [r["run_id"] for r in alone] == [baseline["run_id"]]


@pytest.mark.slow
def test_another_process_gets_the_same_labels_bit_for_bit(command):
    arguments = ["run", "--json", "-m", "l2sc", "-m", "kmeans", "--results"]
    process = [sys.executable, "-m", "lcbench", *arguments, "there"]
    there = subprocess.run(process, capture_output=True, text=True, check=True).stdout.splitlines()
    digests = [json.loads(line)["labels_digest"] for line in there]
    assert digests == [run["labels_digest"] for run in command(*arguments, "here").runs]


def test_the_help_shows_what_is_run_by_default(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    text = " ".join(command("run", "--help").lines)
    for default in ("l2sc, stsc", "digits", "purity, nmi, ri, ari; silhouette without labels", "up to 50 tasks"):
        assert f"[default: {default}]" in text


def test_runs_that_were_refused_are_not_counted_among_those_in_the_folder(command, tmp_path):
    for name, shift in (("a", 0.0), ("b", -2.0)):
        X = np.random.default_rng(0).random((20, 4)) + np.repeat([[0.0], [3.0]], 10, axis=0) + shift
        np.savetxt(tmp_path / f"{name}.csv", X, delimiter=",", header="x,y,z,w", comments="")
    data = f"{tmp_path}:clusters=2"
    both = command("run", "-m", "l2sc", "-m", "stsc", "-s", data, "--metric", "silhouette")
    assert "Its 3 runs are not made" in both.err
    assert "1 run in lcbench-results: " in both.err
    refused = command("run", "-m", "l2sc", "-s", data, "--no-baseline", "--metric", "silhouette")
    assert "in lcbench-results: " not in refused.err

"""Whole experiments that tell what other tasks bring: solo runs, colours, interruptions, names of experiments."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shlex
import shutil
from collections import Counter
from pathlib import Path

import pytest

import lcbench
from lcbench.experiment.pipeline import executor_of
from lcbench.running.executor import InProcess

SMALL = ("run", "-m", "l2sc", "-s", "digits:tasks=2", "--metric", "ri")
RANDOM = ("--order", "random", "--repeats")
COLOURS = ("\x1b[31m", "\x1b[32m")
SAID = "Solo runs: {}; each learns one task alone, to tell what others bring"


def stored() -> list[dict]:
    return [json.loads(path.read_text()) for path in Path("lcbench-results", "runs").glob("*.json")]


def said(called) -> list[str]:
    """The lines on standard error, without those that say how far a slow run is."""
    return [line for line in called.err.splitlines() if not re.match(r"\[\d+/\d+\] .*: task \d+/\d+ ", line)]


def announced(called) -> list[str]:
    return [line for line in said(called) if line.startswith("Solo runs: ")]


def test_solo_runs_are_announced_before_the_first_run_and_kept_with_the_others(command):
    called = command(*SMALL)
    lines = said(called)
    assert lines[0] == SAID.format("2 of 4")
    assert lines[1].startswith("[1/4] digits:tasks=2: stsc: done, 2 tasks, ")
    assert lines[3].startswith("[3/4] digits:tasks=2: l2sc alone on task-1: done, 1 task, ")
    assert lines[5].startswith("4 runs in lcbench-results: ")
    assert Counter(run["method"] for run in stored() if run["order_kinds"] == ["solo"]) == {"l2sc": 2}
    assert "digits:tasks=2: what other tasks bring by ri in percent" in called.out


@pytest.mark.parametrize(("option", "solos"), [("--no-solo", 0), ("--quiet", 2)])
def test_solo_runs_and_what_is_said_of_them_can_be_left_out(command, option, solos):
    called = command(*SMALL, option)
    assert announced(called) == []
    assert (called.err == "") == (option == "--quiet")
    assert (len(stored()), sum(run["order_kinds"] == ["solo"] for run in stored())) == (2 + solos, solos)
    assert ("what other tasks bring by ri" in called.out) == bool(solos)


def test_a_folder_without_solo_runs_gets_them_by_the_same_command_and_only_them(command):
    command(*SMALL, "--no-solo")
    before = {run["run_id"]: run for run in stored()}
    called = command(*SMALL)
    assert said(called)[:2] == ["4 runs: 2 done already, 2 to do", SAID.format("2 of 2")]
    assert {run["run_id"]: run for run in stored() if run["run_id"] in before} == before
    assert len(stored()) == 4
    assert "from other tasks" in called.out


def test_single_task_methods_have_no_solo_runs_and_very_long_streams_only_if_they_are_asked_for(command):
    assert "2 runs: " in command("run", "-m", "kmeans", "-m", "random", "-s", "digits:tasks=2", "--solo", "-n").err
    for tasks, option, runs in ((50, (), 52), (51, (), 2), (51, ("--solo",), 53), (50, ("--no-solo",), 2)):
        line = ("run", "-m", "l2sc", "-s", f"digits:tasks={tasks},per_class=1", *option, "--dry-run")
        assert command(*line).err == f"{runs} runs: 0 done already, {runs} to do in lcbench-results\n"


def test_the_solo_runs_of_what_tuning_chose_are_announced_when_it_is_known_and_counted(command):
    line = ("run", "-m", "l2sc", "-s", "digits:tasks=2", "--grid", "l2sc.lam=0.1,1", "--tune", "oracle")
    called = command(*line)
    lines = said(called)
    assert [line.split()[0] for line in lines] == ["[1/3]", "[2/3]", "[3/3]", "Solo", "[4/5]", "[5/5]", "6"]
    assert lines[3] == SAID.format("2 of 2")
    (chosen,) = {run["choice"]["params"]["lam"] for run in stored() if run["choice"] is not None}
    assert {run["params"]["lam"] for run in stored() if run["order_kinds"] == ["solo"]} == {chosen}
    again = command(*line)
    assert (again.out, announced(again), "[" in again.err) == (called.out, [], False)


def test_a_solo_run_that_fails_is_a_failure_of_the_experiment(command):
    called = command("run", "-m", "l2sc:k=500", "--no-baseline", "-s", "digits:tasks=2")
    assert called.code == 1
    assert [run["status"] for run in stored()] == ["failed"] * 3
    solo = next(line for line in called.err.splitlines() if "(solo)" in line)
    assert "failed in 2 runs" in solo
    assert "Task 'task-1' has 80 samples, too few for an embedding of 500 dimensions" in solo


def test_the_same_command_again_runs_nothing_and_prints_the_same(command):
    line = ("run", "-m", "l2sc", "-m", "usc", "-s", "digits:tasks=2", *RANDOM, "2", "--name", "mine")
    first = command(*line)
    before = {path: path.read_bytes() for path in Path("lcbench-results").rglob("*") if path.is_file()}
    again = command(*line)
    assert (again.code, again.out) == (0, first.out)
    assert len(again.err.splitlines()) == 1  # where the runs are
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("done", [8, 12])
def test_an_experiment_that_is_interrupted_has_the_same_repeats_of_every_method(command, interrupted, done):
    """A repeat is eight runs: of kmeans, stsc, l2sc and usc, and of l2sc and usc alone on both tasks."""
    methods = ("-m", "kmeans:n_init=1", "-m", "l2sc", "-m", "usc")
    line = ("run", *methods, "-s", "digits:tasks=2,per_class=8", "--metric", "ri", *RANDOM, "3", "-q")
    called = interrupted(done, *line)
    assert called.code == 130
    assert len(stored()) == done
    repeats = {(run["method"], tuple(run["order_kinds"])): set() for run in stored()}
    for run in stored():
        repeats[run["method"], tuple(run["order_kinds"])].add(run["repeat"])
    whole, begun = divmod(done, 8)
    for found in repeats.values():
        assert found in ({*range(whole)}, {*range(whole + bool(begun))})
    assert f"{done} of 24 runs are kept" in called.err
    assert command(*line).code == 0
    assert len(stored()) == 24


def compared(command, *words: str) -> dict[str, int]:
    """The runs of each method that `compare` counts."""
    rows = csv.DictReader(io.StringIO(command("compare", "--format", "csv", *words).out))
    return {row["method"]: int(row["runs"]) for row in rows if row["kind"] == "average"}


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    """kmeans in the fixed order for 'first', and in four random ones for 'second'; random with another seed."""
    folder = tmp_path_factory.mktemp("experiments") / "results"
    how = {"streams": "digits:tasks=4", "metrics": "ri", "out": folder, "executor": InProcess()}
    lcbench.run("kmeans", name="first", **how)
    lcbench.run("kmeans", name="second", order="random", repeats=4, **how)
    lcbench.run("random", order="random", repeats=4, seed=5, **how)
    return folder


@pytest.fixture
def two_experiments(made_once):
    """A copy of them, where commands look for results."""
    shutil.copytree(made_once, "lcbench-results")


@pytest.mark.parametrize(
    ("options", "runs"),
    {
        "--name first --name second --order fixed --order random": {"kmeans": 5},
        "--seed 5": {"random": 4},
        "--order task-1,task-2,task-3,task-4": {"kmeans": 1},
    }.items(),
)
def test_an_experiment_is_told_from_another_in_one_folder_by_its_name_seed_or_order(
    command, two_experiments, options, runs
):
    words = options.split()
    assert compared(command, *words) == runs
    listed = Counter(run["method"] for run in command("results", "list", "--json", *words).runs)
    assert listed == runs
    assert command("results", "export", "some.json", *words).code == 0
    exported = {(row["run_id"], row["method"]) for row in json.loads(Path("some.json").read_text())}
    assert Counter(method for _, method in exported) == runs
    assert command("report", *words).err.startswith(f"report.html: {sum(runs.values())} run")
    page = html.unescape(re.sub(r"<[^>]+>", "", Path("report.html").read_text()))
    (again,) = (shlex.split(line) for line in page.splitlines() if line.strip().startswith("lcbench report "))
    assert sorted(again[2:]) == sorted(words)
    assert command("plot", "runtime", *words).code == 0


def test_a_run_that_two_experiments_share_is_kept_once_and_found_by_both_names(command):
    line = ("run", "-m", "one-cluster", "-s", "digits:tasks=2", "--metric", "ri", "-q")
    for name in ("first", "second", "first"):
        assert command(*line, "--name", name).code == 0
    (run,) = stored()
    assert run["experiments"] == ["first", "second"]
    assert compared(command, "--name", "first") == compared(command, "--name", "second") == {"one-cluster": 1}


@pytest.fixture
def in_colour(command, monkeypatch):
    """Calls the command as at a terminal with colours."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return command


def test_k_means_over_random_orders_has_no_coloured_cell(in_colour):
    line = ("-s", "digits:tasks=3", *RANDOM, "5", "--evaluate", "all", "-q")
    run = ("run", "-m", "kmeans:n_init=2", *line)
    for verb in (run, (*run, "-v"), ("compare", "-m", "kmeans")):
        out = in_colour(*verb).out
        assert "\x1b[" in out  # colours would be shown
        assert "kmeans" in out
        assert not any(colour in out for colour in COLOURS)
    remembers = in_colour("run", "-m", "usc", "-s", "digits:tasks=3", *RANDOM, "3", "-q").out
    assert any(colour in remembers for colour in COLOURS)


@pytest.mark.slow
def test_three_methods_in_ten_random_orders_of_webkb4_take_at_most_30_lines(command, webkb, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr("lcbench.experiment.pipeline.executor_of", executor_of)  # with processes, as a user has it
    called = command("run", "-m", "l2sc", "-m", "stsc", "-m", "usc", "-s", "webkb4", *RANDOM, "10")
    assert called.code == 0
    assert len(called.out.splitlines()) <= 30
    assert max(map(len, called.out.splitlines())) <= 120
    assert called.lines[0].startswith("webkb4, 10 orders: l2sc ")
    (usc,) = (line for line in called.lines if re.match(r"usc \d", line) and "NEGATIVE" in line)
    assert usc.split()[-1] == "stsc"

from __future__ import annotations

import json
from pathlib import Path

from lcbench.cli.dry_run import print_backlog
from lcbench.experiment.options import Experiment
from lcbench.experiment.pipeline import prepare

SMALL = ("-s", "digits:tasks=2", "--metric", "ri")
ONE = ("run", "-m", "one-cluster", *SMALL)
TWO = (*ONE, "-m", "random")
FAILING = ("run", "-m", "l2sc:k=500", "-m", "one-cluster", "--no-baseline", *SMALL)
TUNED = ("run", "-m", "kmeans", "-m", "one-cluster", *SMALL, "--grid", "kmeans.n_init=1,2", "--tune", "oracle")


def stored() -> dict[str, dict]:
    """The files of all runs, by name."""
    return {path.name: json.loads(path.read_text()) for path in Path("lcbench-results", "runs").iterdir()}


def dry(command, *arguments) -> list[list[str]]:
    """The cells of every line, but for the id."""
    return [line.split("  ")[1:] for line in command(*arguments, "--dry-run").out.splitlines()]


def test_dry_run_lists_the_runs_and_what_is_done_and_makes_no_folder(command):
    called = command(*FAILING, "-m", "random", "--dry-run")
    assert [line.split("  ")[1] for line in called.out.splitlines()] == ["to do"] * 3
    assert called.err == "3 runs: 0 done already, 3 to do in lcbench-results\n"
    assert list(Path.cwd().iterdir()) == []
    command(*FAILING)
    before = stored()
    rest = ["digits:tasks=2", "task-1,task-2", "repeat 0"]
    assert dry(command, *FAILING, "-m", "random") == [
        [state, rest[0], label, *rest[1:]]
        for state, label in [("failed", "l2sc:k=500"), ("done", "one-cluster"), ("to do", "random")]
    ]
    assert [line[0] for line in dry(command, *FAILING, "--fresh")] == ["again, was failed", "again, was done"]
    assert [line[0] for line in dry(command, *FAILING, "--retry-failed")] == ["again, was failed", "done"]
    assert [line[0] for line in dry(command, *FAILING, "--audit", "poison")] == ["failed", "again, was done"]
    assert stored() == before


def test_dry_run_as_json_has_the_ids_that_the_runs_get(command):
    command(*ONE)
    called = command(*TWO, "--dry-run", "--json")
    assert [(run["method"], run["state"], run["status"], run["to_do"]) for run in called.runs] == [
        ("one-cluster", "done", "ok", False),
        ("random", "to do", None, True),
    ]
    assert {run["stream"] for run in called.runs} == {"digits:tasks=2"}
    assert {run["run_id"] for run in called.runs} == {run["run_id"] for run in command(*TWO, "--json").runs}


def test_dry_run_says_how_many_runs_tuning_will_choose(command):
    called = command(*TUNED, "--dry-run")
    assert len(called.out.splitlines()) == 3
    assert called.err.endswith("3 to do in lcbench-results; then 1 run will be chosen among them\n")


def test_names_in_a_dry_run_cannot_steer_the_terminal_or_add_lines(capsys):
    prepared = prepare(Experiment(methods={"ev\x1b[2J\nil": "one-cluster"}, streams="digits:tasks=2"))
    print_backlog(prepared)
    shown = capsys.readouterr()
    assert shown.out.count("\n") == 1
    assert "\x1b" not in shown.out
    assert "  ev\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}il  task-1,task-2  " in shown.out
    print_backlog(prepared, json=True)
    assert json.loads(capsys.readouterr().out)["method"] == "ev\x1b[2J\nil"

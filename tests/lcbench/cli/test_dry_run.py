from __future__ import annotations

import json
from pathlib import Path

from lcbench.cli.dry_run import MOST_LISTED, print_backlog
from lcbench.experiment.options import Experiment
from lcbench.experiment.pipeline import prepare

SMALL = ("-s", "digits:tasks=2", "--metric", "ri")
ONE = ("run", "-m", "one-cluster", *SMALL)
TWO = (*ONE, "-m", "random")
FAILING = ("run", "-m", "l2sc:k=500", "-m", "one-cluster", "--no-baseline", "--no-solo", *SMALL)
TUNED = ("run", "-m", "kmeans", "-m", "one-cluster", *SMALL, "--grid", "kmeans.n_init=1,2", "--tune", "oracle")


def listed(text: str) -> list[list[str]]:
    """The lines of runs, in their parts."""
    return [line.split("  ")[1:] for line in text.splitlines() if line.startswith("  ")]


def test_a_dry_run_counts_the_runs_then_lists_them_by_stream_and_method_and_changes_nothing(command):
    called = command(*FAILING, "-m", "random", "--dry-run")
    assert [line for line in called.out.splitlines() if line and not line.startswith("  ")] == [
        "digits:tasks=2  l2sc:k=500: 1 run, 1 to do",
        "digits:tasks=2  one-cluster: 1 run, 1 to do",
        "digits:tasks=2  random: 1 run, 1 to do",
    ]
    assert called.err == "3 runs: 0 done already, 3 to do in lcbench-results\n"
    assert list(Path.cwd().iterdir()) == []
    command(*FAILING)
    before = {path: path.read_bytes() for path in Path("lcbench-results").rglob("*.json")}
    again = "3 runs: 1 done already, 1 failed before (--retry-failed runs them again), 1 to do"
    for more, states, summary in (
        (("-m", "random"), ["failed", "done", "to do"], again),
        (("--fresh",), ["again, was failed", "again, was done"], "2 runs: 0 done already, 2 to do"),
        (("--retry-failed",), ["again, was failed", "done"], "2 runs: 1 done already, 1 to do"),
        (("--audit", "poison"), ["failed", "again, was done"], ""),
    ):
        called = command(*FAILING, *more, "--dry-run")
        rows = listed(called.out)
        assert [row[1] for row in rows] == states
        assert rows[0][2:] == ["task-1,task-2", "repeat 0"]
        assert called.err.startswith(summary)
    assert {path: path.read_bytes() for path in Path("lcbench-results").rglob("*.json")} == before
    assert f"{again}\n" in command(*FAILING, "-m", "random").err


def test_a_group_says_how_many_of_its_runs_are_done_and_solo_runs_are_a_group_of_their_own(command):
    words = ("-m", "l2sc", "-s", "digits:tasks=2,per_class=5", "--no-baseline")
    command("run", *words)
    lines = command("run", *words, "--repeats", "2", "-n").out.splitlines()
    stream = "digits:tasks=2,per_class=5"
    assert f"{stream}  l2sc: 2 runs, 1 done, 1 to do" in lines
    assert f"{stream}  l2sc, each task alone: 4 runs, 2 done, 2 to do" in lines


def test_a_large_group_lists_its_first_runs_and_all_with_verbose(command):
    many = (*ONE, "--repeats", "30", "-n")
    called = command(*many)
    assert "digits:tasks=2  one-cluster: 30 runs, 30 to do" in called.out
    assert called.out.endswith(f"  ... and {30 - (MOST_LISTED - 1)} more (--verbose lists all)\n")
    assert len(listed(called.out)) == MOST_LISTED
    ids = [row[0] for row in listed(command(*many, "--verbose").out)]
    assert ids == [run["run_id"][:10] for run in command(*many, "--json").runs]
    assert len(set(ids)) == 30


def test_a_dry_run_as_json_has_the_ids_that_the_runs_get(command):
    command(*ONE)
    called = command(*TWO, "--dry-run", "--json")
    assert [(run["method"], run["state"], run["status"], run["to_do"]) for run in called.runs] == [
        ("one-cluster", "done", "ok", False),
        ("random", "to do", None, True),
    ]
    assert {run["stream"] for run in called.runs} == {"digits:tasks=2"}
    assert {run["run_id"] for run in called.runs} == {run["run_id"] for run in command(*TWO, "--json").runs}


def test_a_dry_run_says_how_many_runs_tuning_will_choose(command):
    called = command(*TUNED, "--dry-run")
    assert len(listed(called.out)) == 3
    assert called.err.endswith("3 to do in lcbench-results; then 1 run will be chosen among them\n")


def test_names_in_a_dry_run_cannot_steer_the_terminal_or_add_lines(capsys):
    prepared = prepare(Experiment(methods={"ev\x1b[2J\nil": "one-cluster"}, streams="digits:tasks=2"))
    print_backlog(prepared)
    shown = capsys.readouterr().out
    assert (shown.count("\n"), "\x1b" in shown) == (2, False)
    assert "  ev\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}il: 1 run" in shown
    print_backlog(prepared, json=True)
    assert json.loads(capsys.readouterr().out)["method"] == "ev\x1b[2J\nil"

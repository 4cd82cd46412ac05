"""The commands on the page make the same runs: what they plan is what was planned."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from lcbench.analysis.selection import select
from lcbench.cli.run_options import RunOptions
from lcbench.experiment.planning import plan_runs
from lcbench.registry.host import plugin_host
from lcbench.report.page.commands import MOST_ORDERS, OrderWords, grid_choices, order_words, run_commands

REPEATED = {"--method": "methods", "--stream": "streams", "--grid": "grid", "--audit": "audit", "--metric": "metrics"}
SINGLE = {"--order": "order", "--evaluate": "evaluate", "--tune": "tune", "--tune-metric": "tune_metric"}
NUMBERS = {"--repeats": "repeats", "--seed": "seed", "--threads": "threads"}


def planned_by(line: str) -> set[str]:
    """The ids of the runs that a command line would make, through the options of `lcbench run`."""
    program, verb, *words = shlex.split(line)
    assert (program, verb) == ("lcbench", "run")
    given = {
        "methods": None, "streams": None, "order": "fixed", "repeats": 1, "seed": 0, "metrics": None,
        "evaluate": "all", "future": False, "baselines": True, "threads": 1, "grid": None, "tune": "none",
        "tune_metric": None, "audit": None, "jobs": 1, "timeout": None, "memory_limit": None, "results": Path("r"),
    }  # fmt: skip
    while words:
        word = words.pop(0)
        if word in ("--future", "--no-baseline"):
            given |= {"future": True} if word == "--future" else {"baselines": False}
        elif word in REPEATED:
            given[REPEATED[word]] = [*(given[REPEATED[word]] or []), words.pop(0)]
        else:
            value = words.pop(0)
            given[NUMBERS.get(word) or SINGLE[word]] = int(value) if word in NUMBERS else value
    plan = RunOptions(**given).plan()
    return {run.run_id for run in plan} | {tuned.run_id for tuned in plan.tuned}


def stored(plan):
    """The records of a plan as if all had ended well."""
    for tuned in plan.tuned:
        points = [{"params": {}, "run_id": i, "status": "ok", "value": 1.0} for i in tuned.candidates]
        tuned.record.choice = {"params": {}, "points": points, "search_seconds": 1.0}
    return [item.record for item in (*plan.runs, *plan.tuned)]


@pytest.mark.parametrize(
    ("methods", "streams", "options"),
    [
        (["l2sc", "kmeans"], ["digits"], {}),
        (["l2sc:lam=0.125,affinity=full", "stsc"], ["digits:tasks=3"], {"order": "random", "repeats": 4, "seed": 7}),
        (["strong=l2sc:lam=10", "kmeans"], ['digits:classes="1,4,7",per_class=12'], {"order": "all"}),
        (["usc"], ["digits", "topics:tasks=6"], {"order": "random", "repeats": 3}),
        (["kmeans"], ["digits"], {"order": ["task-3", "task-1", "task-2", "task-4"], "repeats": 2}),
        (["l2sc"], ["digits"], {"evaluate": "last", "future": True, "threads": 2, "baselines": False}),
        (["l2sc"], ["digits"], {"grid": ["l2sc.lam=0.1,1", "l2sc.mu=0.01,0.1"]}),
        (["l2sc", "kmeans"], ["digits"], {"grid": ["l2sc.lam=0.1,1"], "tune": "oracle", "tune_metric": "nmi"}),
        (["l2sc"], ["digits"], {"grid": ["l2sc.lam=paper", "l2sc.mu=paper"], "tune": "silhouette"}),
    ],
    ids=str,
)  # fmt: skip
def test_the_commands_plan_the_runs_of_an_experiment_and_no_others(methods, streams, options):
    plan = plan_runs(methods, streams, **options)
    commands = run_commands(select(stored(plan)), None, ["purity"])
    assert commands.notes == ()
    found = set().union(*map(planned_by, commands.lines))
    assert found == {run.run_id for run in plan} | {tuned.run_id for tuned in plan.tuned}


def test_methods_that_share_all_else_share_a_line():
    plan = plan_runs(["l2sc", "kmeans", "usc"], ["digits"], order="random", repeats=3)
    (line,) = run_commands(select(stored(plan)), "my results", ["purity"]).lines
    assert line == (
        "lcbench run --method kmeans --method stsc --method usc --method l2sc --stream digits --order random "
        "--repeats 3 --results 'my results'"
    )


def test_streams_that_share_all_else_share_a_line_too():
    plan = plan_runs(["usc"], ["digits", "topics:tasks=6"], order="random", repeats=3)
    (line,) = run_commands(select(stored(plan)), None, ["purity"]).lines
    assert "--stream digits --stream topics:tasks=6 --order random" in line


def test_an_incomplete_set_of_permutations_is_listed_order_by_order():
    runs = stored(plan_runs(["kmeans"], ["digits:tasks=3"], order="all"))
    commands = run_commands(select(runs[:-1]), None, ["purity"])
    assert len(commands.lines) == 5
    assert set().union(*map(planned_by, commands.lines)) == {run.run_id for run in runs[:-1]}


def test_audits_and_metrics_that_are_computed_only_when_asked_for_are_asked_for():
    runs = stored(plan_runs(["kmeans"], ["digits"]))
    runs[0].audit = {"measure": {}, "poison": {"passed": True}}
    (line,) = run_commands(select(runs), None, ["purity", "silhouette"]).lines
    assert line.endswith("--stream digits --audit poison --metric purity --metric silhouette")


def test_runs_that_no_command_repeats_have_a_note_with_the_reason(make):
    old = stored(plan_runs(["kmeans"], ["digits"]))[0]
    old.revision = 0
    timed_out = make("m", ("a", "b"), stream_tasks=("a", "b"), status="timeout", error="too long")
    commands = run_commands(select([old, timed_out]), None, ["purity"])
    assert commands.lines == ()
    assert any("kmeans on digits: no command makes 1 run again" in note for note in commands.notes)
    assert any("'method-1' has no name here" in note for note in commands.notes)
    assert any("--timeout" in note for note in commands.notes)


def test_more_than_twelve_single_orders_are_counted_in_a_note_instead():
    runs = stored(plan_runs(["kmeans"], ["digits"], order="all"))
    assert len(runs) == 24
    commands = run_commands(select(runs[:-1]), None, ["purity"])
    assert len(commands.lines) == MOST_ORDERS
    made = set().union(*map(planned_by, commands.lines)) & {run.run_id for run in runs[:-1]}
    (note,) = commands.notes
    assert f"{23 - len(made)} runs in single orders have no line here" in note


def test_orders_of_two_kinds_have_a_command_each_with_its_own_runs():
    drawn = stored(plan_runs(["kmeans"], ["digits:tasks=6"], order="random", repeats=3, seed=5))
    fixed = stored(plan_runs(["kmeans"], ["digits:tasks=6"], seed=5))
    ids = [{run.run_id for run in runs} for runs in (drawn, fixed)]
    assert order_words([*fixed, *drawn]) == [(OrderWords("random", 3), ids[0]), (OrderWords("fixed", 1), ids[1])]


def test_a_grid_is_written_as_its_values_first_and_then_by_its_names():
    spec = plugin_host().registry.methods.get("l2sc")
    (run, *_) = stored(plan_runs(["l2sc"], ["digits"], baselines=False))
    assert list(grid_choices(run, spec)) == [()]
    run.tune = {"protocol": "oracle", "grid": [{"lam": 0.1}, {"lam": 10.0}]}
    first, *others = grid_choices(run, spec)
    assert first == ("l2sc.lam=0.1,10",)
    assert ("l2sc.lam=paper",) in others

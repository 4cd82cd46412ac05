from __future__ import annotations

import shlex

import pytest
from making import make_record

from lcbench.analysis.selection import select
from lcbench.experiment.planning import plan_runs
from lcbench.report.figures.kind import find_kind
from lcbench.report.figures.nothing_to_draw import nothing_to_draw

SETTINGS = {
    "l2sc": "lifelong",
    "mbc": "multi-task",
    "lssmtc": "multi-task",
    "kmeans": "single-task",
    "random": "single-task",
}


def stored(*methods, stream="digits", **fields):
    """Finished runs of registered methods."""
    return select([make_record(method, setting=SETTINGS[method], stream=stream, **fields) for method in methods])


def advised(kind, selection, *options, **named):
    """The options of the command that a sentence ends with, with their values."""
    sentence = nothing_to_draw(find_kind(kind), selection, *options, **named)
    program, verb, *words = shlex.split(sentence.partition(" This makes such runs: ")[2])
    assert (program, verb) == ("lcbench", "run")
    return dict(zip(words[::2], words[1::2], strict=True))


def test_failed_runs_only_are_the_reason_and_no_command_is_named():
    sentence = nothing_to_draw(find_kind("orders"), stored("l2sc", status="failed"))
    assert "no run that fits came to its end" in sentence
    assert "This makes such runs" not in sentence


def test_a_kind_that_no_option_helps_has_a_reason_only():
    kind = find_kind("convergence")
    assert nothing_to_draw(kind, stored("kmeans")) == f"There is nothing to draw: {kind.lacking}."


def test_the_command_runs_the_stored_method_with_its_changed_parameters_on_its_stream():
    assert advised("orders", stored("l2sc", params={"lam": 3.0, "mu": 0.01}), " --results x") == {
        "--method": "l2sc:lam=3", "--stream": "digits", "--order": "random", "--repeats": "10", "--results": "x",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("methods", "named", "chosen"),
    [
        (("kmeans", "mbc", "l2sc"), (), "l2sc"),
        (("kmeans", "mbc"), (), "mbc"),
        (("kmeans",), ("kmeans",), "kmeans"),
        (("kmeans",), (), "l2sc"),  # the order of tasks matters to no single-task method, so a registered one is named
    ],
)
def test_lifelong_methods_are_advised_first_and_single_task_ones_only_if_they_are_named(methods, named, chosen):
    assert advised("orders", stored(*methods), named=named)["--method"] == chosen


@pytest.mark.parametrize(
    ("method", "grid", "count"),
    [
        ("l2sc", "l2sc.lam=0.001,0.01,0.1,1,10,100", 6),
        ("kmeans", "kmeans.n_init=5,10,20", 3),
        ("lssmtc", "lssmtc.lam=0.001,0.01,0.1,1", 4),  # it refuses larger ones
        ("random", "l2sc.lam=0.001,0.01,0.1,1,10,100", 6),  # it has no parameters
    ],
)
def test_the_grid_advised_is_one_of_several_valid_values_of_a_parameter(method, grid, count):
    options = advised("parameters", stored(method))
    assert options["--grid"] == grid
    plan = plan_runs([options["--method"]], [options["--stream"]], grid=[grid], baselines=False)
    assert len(plan) == count


def test_a_parameter_to_be_varied_is_not_fixed_by_the_method_in_the_command():
    assert advised("parameters", stored("l2sc", params={"lam": 3.0, "mu": 0.5}))["--method"] == "l2sc:mu=0.5"


def test_no_command_is_named_for_a_stream_that_is_not_registered():
    sentence = nothing_to_draw(find_kind("transfer"), stored("l2sc", stream="my-folder"), " --results x")
    assert sentence.endswith("The same 'lcbench run' with --order leave-one-out --repeats 5 makes such runs.")

from __future__ import annotations

import shlex

import pytest

from lcbench.analysis.selection import select
from lcbench.experiment.planning import plan_runs
from lcbench.report.figures.figure_kinds import find_kind
from lcbench.report.figures.nothing_to_draw import nothing_to_draw

SETTINGS = {"l2sc": "lifelong", "mbc": "multi-task", "kmeans": "single-task"}


@pytest.fixture
def stored(make_run):
    """Finished runs of registered methods on the stream `digits`."""

    def make(*methods, **changes):
        facts = {"stream": "digits", **changes}
        return select([make_run("ab", [0, 0], method=m, label=m, setting=SETTINGS[m], **facts) for m in methods])

    return make


def advised(sentence):
    """The words of the command that a sentence ends with, as option -> values."""
    program, verb, *words = shlex.split(sentence.partition(" This makes such runs: ")[2])
    assert (program, verb) == ("lcbench", "run")
    options = {}
    for name, value in zip(words[::2], words[1::2], strict=True):
        options.setdefault(name, []).append(value)
    return options


def test_failed_runs_only_are_the_reason_and_no_command_is_named(make_run):
    sentence = nothing_to_draw(find_kind("orders"), select([make_run("ab", stream="digits", status="failed")]))
    assert "no run that fits came to its end" in sentence
    assert "This makes such runs" not in sentence


def test_a_kind_that_no_option_helps_has_a_reason_only(stored):
    kind = find_kind("convergence")
    assert nothing_to_draw(kind, stored("kmeans")) == f"There is nothing to draw: {kind.lacking}."


def test_the_command_runs_the_stored_method_with_its_changed_parameters_on_its_stream(stored):
    sentence = nothing_to_draw(find_kind("orders"), stored("l2sc", params={"lam": 3.0, "mu": 0.01}), " --results x")
    assert advised(sentence) == {
        "--method": ["l2sc:lam=3"], "--stream": ["digits"], "--order": ["random"], "--repeats": ["10"],
        "--results": ["x"],
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
def test_lifelong_methods_are_advised_first_and_single_task_ones_only_if_they_are_named(stored, methods, named, chosen):
    assert advised(nothing_to_draw(find_kind("orders"), stored(*methods), named=named))["--method"] == [chosen]


@pytest.mark.parametrize(("method", "param", "count"), [("l2sc", "lam", 6), ("kmeans", "n_init", 3)])
def test_the_grid_advised_is_one_of_several_valid_values_of_a_parameter(stored, method, param, count):
    options = advised(nothing_to_draw(find_kind("parameters"), stored(method)))
    plan = plan_runs(options["--method"], options["--stream"], grid=options["--grid"], baselines=False)
    assert len({run.record.params[param] for run in plan}) == len(plan) == count


def test_a_parameter_to_be_varied_is_not_fixed_by_the_method_in_the_command(stored):
    selection = stored("l2sc", params={"lam": 3.0, "mu": 0.5})
    assert advised(nothing_to_draw(find_kind("parameters"), selection))["--method"] == ["l2sc:mu=0.5"]


def test_no_command_is_named_for_a_stream_that_is_not_registered(stored):
    sentence = nothing_to_draw(find_kind("transfer"), stored("l2sc", stream="my-folder"), " --results x")
    assert sentence.endswith("The same 'lcbench run' with --order leave-one-out --repeats 5 makes such runs.")

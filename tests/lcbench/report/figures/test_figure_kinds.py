from __future__ import annotations

import subprocess
import sys

import pytest

from lcbench.analysis.selection import select
from lcbench.errors import ParameterError
from lcbench.report.figures.figure_kinds import KINDS, find_kind

R = [[0.5, None, None], [0.6, 0.7, None], [0.65, 0.75, 0.9]]


def test_single_task_methods_are_drawn_when_they_are_named_or_alone_and_else_reported_as_left_out(make_run):
    single = make_run("cab", R, label="flat", method="flat", setting="single-task")
    selection = select([make_run("cab", R), single])
    kind = find_kind("lifelong")
    assert [chart.about[2] for chart in kind.charts(selection, ["purity"])] == ["m"]
    assert [chart.about[2] for chart in kind.charts(selection, ["purity"], ["flat"])] == ["flat", "m"]
    assert [chart.about[2] for chart in kind.charts(select([single]), ["purity"])] == ["flat"]
    (told,) = kind.left_out(selection)
    assert told.startswith("s: single-task methods")
    assert told.endswith("unless --method names them: flat.")
    assert kind.left_out(selection, ["flat"]) == kind.left_out(select([single])) == []
    assert find_kind("runtime").left_out(selection) == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_kind_draws_its_own_figure_from_runs_that_have_all_it_needs(make_run, kind):
    runs = [
        make_run(
            order, [0.1] * len(order), tasks="abc", stream=stream, params={"lam": lam}, method=method,
            label=f"{method}{lam}", objective_trace=[[1.0]] * len(order),
        )
        for stream in ("s1", "s2", "s3", "s4", "s5")
        for order in ("abc", "cba", "ab")
        for method, lam in (("m", 1), ("m", 2), ("n", 1))
    ]  # fmt: skip
    charts = kind.charts(select(runs, parts=kind.parts, candidates=kind.candidates), ["purity"])
    assert charts
    assert {chart.about[0] for chart in charts} == {kind.name}


def test_an_unknown_kind_is_refused_with_the_nearest_name():
    assert find_kind("orders").name == "orders"
    with pytest.raises(ParameterError, match=r"There is no figure 'lifelon'\. Did you mean 'lifelong'\?"):
        find_kind("lifelon")


def test_charts_of_all_kinds_are_made_without_importing_matplotlib():
    code = """if True:
        import sys
        from lcbench.analysis.selection import select
        from lcbench.errors import ParameterError
        from lcbench.report.figures.figure_kinds import KINDS
        for kind in KINDS:
            try:
                assert kind.charts(select([]), ["purity"]) == []
            except ParameterError:
                assert kind.name == "ranks"
        print("matplotlib" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

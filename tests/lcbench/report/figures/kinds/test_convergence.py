from __future__ import annotations

import pytest
from making import make_record

from lcbench.analysis.selection import select
from lcbench.report.figures.kinds.convergence import KIND


def test_convergence_draws_for_each_task_the_share_of_the_objectives_change_that_is_still_to_come(drawn, points):
    run = make_record(order="ba", objective_trace=[[5.0, 4.0, 3.5], [7.0, None, 6.0]])
    (chart,) = KIND.charts(select([run]), [])
    (axes,) = drawn(chart)
    assert list(points(axes)) == ["b", "a"]
    assert points(axes)["b"] == [(1, 1), (2, pytest.approx(1 / 3)), (3, 0)]  # of 1.5, .5 is to come
    assert points(axes)["a"] == [(1, 1), (2, 0)]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("iteration", "change still to come")


def test_curves_of_tasks_whose_objectives_differ_in_level_scale_and_direction_are_the_same():
    falling = [8.0, 4.0, 2.0, 0.0]
    traces = [falling, [100 * value + 7 for value in falling], [-value for value in falling], [5.0, 5.0]]
    run = make_record(order="abcd", objective_trace=traces)
    (chart,) = KIND.charts(select([run]), [])
    lines = [line.y for line in chart.panels[0].series]
    assert lines[:3] == [pytest.approx((1, 0.5, 0.25, 0))] * 3
    assert lines[3] == (0, 0)  # it ends where it began


def test_a_repeat_that_stopped_stays_at_zero():
    traces = ([6.0, 4.0, 2.0], [6.0, 5.0])
    runs = [make_record("m", [0.0], order="a", objective_trace=[t], repeat=i) for i, t in enumerate(traces)]
    (chart,) = KIND.charts(select(runs), [])
    assert chart.panels[0].series[0].y == (1, 0.25, 0)
    assert "stay at 0 once they have stopped" in chart.caption


def test_of_runs_in_several_orders_those_in_the_streams_own_order_are_drawn():
    runs = [
        make_record(order=order, objective_trace=[[first, 0.5, 0.0], [first]], stream_tasks=("b", "a"))
        for order, first in (("ab", 1.0), ("ba", 4.0))
    ]
    (chart,) = KIND.charts(select(runs), [])
    assert [(line.name, line.y) for line in chart.panels[0].series] == [("b", (1, 0.125, 0)), ("a", (0,))]
    assert "one of 2 orders" in chart.subtitle


def test_a_method_without_an_objective_has_no_figure():
    assert KIND.charts(select([make_record("m"), make_record("n", objective_trace=[])]), []) == []

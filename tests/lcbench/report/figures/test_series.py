from __future__ import annotations

import numpy as np
import pytest
from making import make_record

from lcbench.analysis.selection import select
from lcbench.report.figures.kinds import convergence, lifelong
from lcbench.report.figures.series import difference_unit, final_average, mean_series, own_methods, shown


def test_scores_are_shown_in_percent_where_their_metric_is_and_unchanged_elsewhere():
    assert shown("purity", 0.25) == 25
    assert difference_unit("purity") == "purity, percentage points"
    assert shown("silhouette", 0.25) == 0.25
    assert difference_unit("silhouette") == "silhouette"


def test_a_line_has_the_mean_and_sample_deviation_of_the_points_at_each_place():
    generator = np.random.default_rng(0)
    values = [list(generator.random(count)) for count in (5, 2, 0, 1)]
    points = [(x, y) for x in (3, 0, 1) for y in values[x]]
    line = mean_series("a", points, hollow=1, style=3)
    assert line.x == (0, 1, 3)
    assert line.y == pytest.approx([np.mean(values[i]) for i in (0, 1, 3)])
    assert line.spread == pytest.approx([np.std(values[0], ddof=1), np.std(values[1], ddof=1), 0])
    assert (line.name, line.hollow, line.style, line.band) == ("a", 1, 3, ())


def test_the_final_average_is_over_the_last_row_of_scores_in_percent():
    run = make_record(R=[[0.9, None], [0.2, 0.4]])
    assert final_average(run, "purity") == pytest.approx(30)
    assert final_average(run, "nmi") is None


def test_a_baseline_is_picked_only_if_it_is_named_or_alone():
    baseline = make_record("base")
    every = [baseline, make_record("mine", method="l", baseline=baseline.run_id), make_record("bad", status="failed")]

    def picked(runs, *named):
        return {method.label for method in own_methods(select(runs).streams[0], named)}

    assert picked(every) == picked(every, "l") == {"mine"}
    assert picked(every, "base") == {"base", "mine"}
    assert picked([baseline]) == {"base"}


def test_a_task_has_one_colour_and_marker_in_all_figures_of_its_stream(drawn):
    run = make_record("m", [0.1, 0.2, 0.3], order="cab", objective_trace=[[1.0, 2.0]] * 3)
    one, other = select([run]), select([make_record("n", [0.1, 0.2, 0.3], order="bca")])
    charts = [chart for selection in (one, other) for chart in lifelong.KIND.charts(selection, ["purity"])]
    found = {}
    for chart in (*charts, *convergence.KIND.charts(one, [])):
        for line in drawn(chart)[0].get_lines():
            found.setdefault(line.get_label(), set()).add((line.get_color(), line.get_marker()))
    assert len(charts) == 2
    assert set(found) == set("abc")
    assert [len(styles) for styles in found.values()] == [1, 1, 1]
    assert len(set.union(*found.values())) == 3

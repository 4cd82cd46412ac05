from __future__ import annotations

import numpy as np
import pytest

from lcbench.analysis.selection import select
from lcbench.report.figures import convergence, lifelong
from lcbench.report.figures.series import (
    axis_label,
    difference_unit,
    final_average,
    lasting_methods,
    mean_series,
    own_methods,
    shown,
    streams_with_runs,
    task_order,
)


def test_scores_are_shown_in_percent_where_their_metric_is_and_unchanged_elsewhere():
    assert shown("purity", 0.25) == 25
    assert (axis_label("purity"), difference_unit("purity")) == ("purity (%)", "purity, percentage points")
    assert shown("silhouette", 0.25) == 0.25
    assert axis_label("silhouette") == difference_unit("silhouette") == "silhouette"


def test_a_line_has_means_and_sample_deviations_and_leaves_out_places_without_values():
    generator = np.random.default_rng(0)
    values = [list(generator.random(count)) for count in (5, 2, 0, 1)]
    line = mean_series("a", enumerate(values), hollow=1, style=3)
    assert line.x == (0, 1, 3)
    assert line.y == pytest.approx([np.mean(values[i]) for i in (0, 1, 3)])
    assert line.spread == pytest.approx([np.std(values[0], ddof=1), np.std(values[1], ddof=1), 0])
    assert (line.name, line.runs, line.hollow, line.style) == ("a", (5, 2, 1), 1, 3)


def test_the_final_average_is_over_the_last_row_of_scores_in_percent(make_run):
    run = make_run("ab", [[0.9, None], [0.2, 0.4]])
    assert final_average(run, "purity") == pytest.approx(30)
    assert final_average(run, "nmi") is None


def test_tasks_stand_in_the_order_of_the_runs_if_all_share_it_and_else_in_that_of_the_stream(make_run):
    one, other = make_run("ba"), make_run("ab")
    assert task_order([one, one], ("a", "b")) == ("b", "a")
    assert task_order([one, other], ("b", "a")) == ("b", "a")
    assert task_order([make_run(("t10", "t9")), make_run(("t9", "t10"))], ()) == ("t9", "t10")


def test_baselines_and_single_task_methods_are_picked_only_if_they_are_named_or_alone(make_run):
    baseline = make_run("ab", [0, 0], label="base", method="base", setting="single-task")
    flat = make_run("ab", [0, 0], label="flat", method="flat", setting="single-task")
    learner = make_run("ab", [0, 0], label="learner", method="l", baseline=baseline.run_id)
    failed = make_run("ab", label="failed", method="f", status="failed")

    def picked(choose, runs, *named):
        return {method.label for method in choose(select(runs).streams[0], named)}

    every = [baseline, flat, learner, failed]
    assert picked(own_methods, every) == {"flat", "learner"}
    assert picked(own_methods, every, "base") == {"base", "flat", "learner"}
    assert picked(own_methods, [baseline]) == {"base"}
    assert picked(lasting_methods, every) == {"learner"}
    assert picked(lasting_methods, every, "flat") == {"flat", "learner"}
    assert picked(lasting_methods, every, "l") == {"learner"}
    assert picked(lasting_methods, [baseline, flat, failed]) == {"base", "flat"}


def test_a_stream_whose_runs_all_failed_is_left_out(make_run):
    runs = [make_run("ab", [0, 0], stream="s"), make_run("ab", stream="t", status="failed")]
    assert [stream.label for stream in streams_with_runs(select(runs))] == ["s"]


def test_a_task_has_one_colour_and_marker_in_all_figures_of_its_stream(make_run, drawn):
    R = [[0.1, None, None], [0.1, 0.2, None], [0.1, 0.2, 0.3]]
    run = make_run("cab", R, objective_trace=[[1.0, 2.0]] * 3, tasks="abc")
    other = make_run("bca", R, label="n", method="n", tasks="abc")
    selection = select([run, other])
    found = {}
    for chart in (*lifelong.charts(selection, ["purity"]), *convergence.charts(selection, [])):
        for line in drawn(chart)[0].get_lines():
            found.setdefault(line.get_label(), set()).add((line.get_color(), line.get_marker()))
    assert set(found) == set("abc")
    assert [len(styles) for styles in found.values()] == [1, 1, 1]
    assert len(set.union(*found.values())) == 3

from __future__ import annotations

import random
from itertools import permutations
from statistics import stdev

import pytest

from lcbench.analysis.lifelong_table import lifelong_table
from lcbench.analysis.selection import select
from lcbench.records.record import FAILED
from lcbench.report.figures.lifelong import charts

R = [[0.5, None, None], [0.6, 0.7, None], [0.65, 0.75, 0.9]]
ALONE = [[0.4, None, None], [0.4, 0.45, None], [0.4, 0.45, 0.3]]


@pytest.fixture
def baseline(make_run):
    return make_run("cab", ALONE, label="alone", method="alone", setting="single-task", tasks="abc")


@pytest.fixture
def papers(make_run, baseline):
    return make_run("cab", R, baseline=baseline.run_id, note="re-encoded", tasks="abc")


def test_in_one_order_each_line_but_the_first_starts_at_the_baseline_one_step_before(
    papers, baseline, drawn, line, near
):
    (chart,) = charts(select([papers, baseline]), ["purity"])
    (axes,) = drawn(chart)
    assert line(axes, "c") == near([(1, 50), (2, 60), (3, 65)])
    assert line(axes, "a") == near([(1, 45), (2, 70), (3, 75)])
    assert line(axes, "b") == near([(2, 30), (3, 90)])
    hollow = [found for found in axes.get_lines() if found.get_label() == "_hollow"]
    assert [list(found.get_xdata()) for found in hollow] == [[1], [2]]
    assert {found.get_markerfacecolor() for found in hollow} == {"white"}
    assert axes.get_xlabel() == "tasks learned"
    assert axes.get_ylabel() == "purity (%)"


def test_title_subtitle_and_caption_name_stream_method_order_seed_baseline_and_note(papers, baseline):
    (chart,) = charts(select([papers, baseline]), ["purity"])
    assert chart.title.startswith("m on s")
    assert chart.subtitle == "1 order, seed 0"
    assert "alone, by alone" in chart.caption
    assert "m: re-encoded." in chart.caption
    assert "mean" not in chart.caption


def test_without_a_baseline_lines_start_where_the_task_is_learned(make_run):
    (chart,) = charts(select([make_run("cab", R)]), ["purity"])
    assert [(line.name, line.x, line.hollow) for line in chart.panels[0].series] == [
        ("c", (1, 2, 3), 0), ("a", (2, 3), 0), ("b", (3,), 0)
    ]  # fmt: skip


def test_a_method_that_is_only_a_baseline_is_drawn_when_it_is_named_or_alone(papers, baseline):
    def labels(runs, named=()):
        return [chart.about[2] for chart in charts(select(runs), ["purity"], named)]

    assert labels([papers, baseline]) == ["m"]
    assert labels([papers, baseline], ["alone"]) == ["alone", "m"]
    assert labels([baseline]) == ["alone"]


def test_over_all_orders_points_equal_the_table_of_run_and_bands_the_standard_deviation(make_run, drawn, line):
    generator = random.Random(0)
    runs, baselines = [], []
    for order in permutations("abc"):
        alone = make_run(order, [generator.random() for _ in order], label="alone", method="alone")
        scores = [[generator.random() if j <= i else None for j in range(3)] for i in range(3)]
        baselines.append(alone)
        runs.append(make_run(order, scores, baseline=alone.run_id))
    selection = select([*runs, *baselines])
    (chart,) = charts(selection, ["purity"])
    (axes,) = drawn(chart)
    table = lifelong_table(runs, "purity", selection.by_id)
    for task in "abc":
        expected = [(m, pytest.approx(100 * table.cells[task, m].mean)) for m in range(4)]
        assert line(axes, task) == expected
    ends = [100 * run.scores["purity"][-1][run.order.index("b")] for run in runs]
    b = chart.panels[0].series[1]
    assert b.spread[-1] == pytest.approx(stdev(ends))
    assert chart.subtitle == "6 orders, seed 0"
    assert "the runs that had learned the task by then, of 6 runs" in chart.caption


def test_points_over_fewer_runs_are_smaller_and_means_of_fewer_than_three_have_no_band(make_run, drawn):
    """Of six orders, task a is learned by two runs after one task, by four after two, by all after three."""
    generator = random.Random(0)
    runs = [
        make_run(order, [[generator.random() if j <= i else None for j in range(3)] for i in range(3)])
        for order in permutations("abc")
    ]
    (chart,) = charts(select(runs), ["purity"])
    (axes,) = drawn(chart)
    a = chart.panels[0].series[0]
    assert (a.x, a.runs) == ((1, 2, 3), (2, 4, 6))
    light, band = (next(c for c in axes.collections if c.get_label() == label) for label in ("_light", "_band"))
    assert [tuple(point) for point in light.get_offsets()] == list(zip(a.x, a.y, strict=True))[:2]
    one, two = light.get_sizes()
    (line,) = [line for line in axes.get_lines() if line.get_label() == "a"]
    assert one < two < line.get_markersize() ** 2
    assert line.get_markevery() == [2]
    assert min(x for path in band.get_paths() for x, _ in path.vertices) == 2
    assert "a point at m tasks is over the runs that had learned the task by then" in chart.caption
    assert "early points are over fewer runs" in chart.caption
    assert "3 runs or more" in chart.caption


def test_two_runs_have_no_band_and_the_caption_claims_none(make_run, drawn):
    runs = [make_run("ab", [[y, None], [y, 0.5]], repeat=i) for i, y in enumerate((0.2, 0.4))]
    (chart,) = charts(select(runs), ["purity"])
    assert "deviation" not in chart.caption
    assert not any(path.vertices.size for c in drawn(chart)[0].collections for path in c.get_paths())


def test_repeats_of_one_order_are_averaged_and_failed_runs_are_counted(make_run, near):
    runs = [make_run("ab", [[y, None], [y, 0.5]], repeat=i) for i, y in enumerate((0.2, 0.4))]
    failed = make_run("ab", repeat=2, status=FAILED)
    (chart,) = charts(select([*runs, failed]), ["purity"])
    assert chart.subtitle == "1 order, 2 repeats, seed 0"
    assert [*chart.panels[0].series[0].y] == near([30, 30])
    assert chart.panels[0].series[1].spread == (0,)
    assert "1 run of m" in chart.caption


def test_each_metric_has_a_panel_and_one_that_was_not_scored_has_none(make_run):
    run = make_run("ab", [[0.1, None], [0.2, 0.3]])
    run.scores["silhouette"] = [[-0.1, None], [0.2, 0.3]]
    run.scores["nmi"] = [[None, None], [None, None]]
    (chart,) = charts(select([run]), ["purity", "nmi", "silhouette"])
    assert [panel.title for panel in chart.panels] == ["purity", "silhouette"]
    assert chart.panels[1].series[0].y == (-0.1, 0.2)
    assert chart.panels[1].y_label == "silhouette"

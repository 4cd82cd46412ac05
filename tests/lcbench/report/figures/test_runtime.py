from __future__ import annotations

from statistics import stdev

from lcbench.analysis.selection import select
from lcbench.report.figures.runtime import charts


def test_runtime_is_the_sum_of_the_seconds_of_learning_of_each_run(make_run, drawn, near):
    runs = [
        make_run("ab", [0, 0], learn_seconds=[0.5, 0.25]),
        make_run("ab", [0, 0], learn_seconds=[1.0, 0.75], repeat=1),
        make_run("ab", [0, 0], learn_seconds=[60.0, 40.0], label="slow", method="slow"),
    ]
    (chart,) = charts(select(runs), [])
    (axes,) = drawn(chart)
    found = {line.get_label(): list(line.get_xdata()) for line in axes.get_lines()}
    assert found["mean of m"] == near([1.25])
    assert found["runs of m"] == near([0.75, 1.75])
    assert found["_bar"] == near([0.75, 1.25 + stdev([0.75, 1.75])])  # a log axis has no zero: it ends at the least
    assert found["mean of slow"] == [100]
    assert axes.get_xscale() == "log"
    assert [text.get_text() for text in axes.get_yticklabels()] == ["m", "slow"]
    assert axes.get_ylim() == (1.5, -0.5)
    assert "seconds" in axes.get_xlabel()


def test_the_caption_claims_no_mean_and_no_deviation_for_single_runs(make_run):
    (chart,) = charts(select([make_run("ab", [0, 0])]), [])
    assert chart.caption == "Time to predict is not in it."
    (chart,) = charts(select([make_run("ab", [0, 0]), make_run("ab", [0, 0], repeat=1)]), [])
    assert "± one standard deviation" in chart.caption


def test_the_caption_says_that_the_search_of_a_tuned_method_is_not_counted(make_run):
    tuned = make_run("ab", [0, 0], choice={"points": []})
    (chart,) = charts(select([tuned]), [])
    assert chart.caption == "Time to predict is not in it, nor is the search of a tuned method."


def test_each_stream_has_a_figure_and_one_with_failed_runs_only_has_none(make_run):
    runs = [make_run("ab", [0, 0], stream=stream) for stream in ("s", "t")]
    failed = make_run("ab", stream="u", status="failed")
    assert [chart.about for chart in charts(select([*runs, failed]), [])] == [("runtime", "s"), ("runtime", "t")]

from __future__ import annotations

from statistics import stdev

import pytest
from making import make_record

from lcbench.analysis.selection import select
from lcbench.report.figures.kinds.runtime import KIND


def test_runtime_is_the_sum_of_the_seconds_of_learning_of_each_run(drawn, points):
    runs = [
        make_record(learn_seconds=[0.5, 0.25]),
        make_record(learn_seconds=[1.0, 0.75], repeat=1),
        make_record("slow", learn_seconds=[60.0, 40.0]),
    ]
    (chart,) = KIND.charts(select(runs), [])
    (axes,) = drawn(chart)
    found = {label: [x for x, _ in line] for label, line in points(axes).items()}
    assert (found["mean of m"], found["runs of m"], found["mean of slow"]) == ([1.25], [0.75, 1.75], [100])
    # a log axis has no zero: the bar ends at the least value
    assert found["_bar"] == pytest.approx([0.75, 1.25 + stdev([0.75, 1.75])])
    assert axes.get_xscale() == "log"
    assert [text.get_text() for text in axes.get_yticklabels()] == ["m", "slow"]
    assert "seconds" in axes.get_xlabel()


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([{}], "Time to predict is not in it."),
        ([{"choice": {"points": []}}], "Time to predict is not in it, nor is the search of a tuned method."),
        (
            [{}, {"repeat": 1}],
            "A small dot is a run, the large one the mean, the bar ± one standard deviation. "
            "Time to predict is not in it.",
        ),
    ],
)
def test_the_caption_claims_no_mean_for_single_runs_and_names_what_is_not_counted(runs, said):
    (chart,) = KIND.charts(select([make_record(**run) for run in runs]), [])
    assert chart.caption == said


def test_each_stream_has_a_figure_and_one_with_failed_runs_only_has_none():
    runs = [make_record(stream="s"), make_record(stream="t"), make_record(stream="u", status="failed")]
    assert [chart.about for chart in KIND.charts(select(runs), [])] == [("s",), ("t",)]

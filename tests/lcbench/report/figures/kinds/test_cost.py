from __future__ import annotations

from statistics import stdev

import pytest
from making import make_record

from lcbench.analysis.selection import select
from lcbench.report.figures.kinds.cost import KIND


def test_cost_shows_mean_seconds_and_sizes_step_by_step(drawn, points):
    runs = [
        make_record(learn_seconds=[1.0, 2.0], state_bytes=[20_000, 30_000]),
        make_record(learn_seconds=[3.0, 6.0], state_bytes=[20_000, 50_000], repeat=1),
    ]
    (chart,) = KIND.charts(select(runs), [])
    seconds, size = drawn(chart)
    assert points(seconds)["m"] == [(1, 2), (2, 4)]
    assert points(size)["m"] == [(1, 20), (2, 40)]
    assert (seconds.get_ylabel(), size.get_ylabel()) == ("seconds", "kB")
    assert chart.panels[0].series[0].spread == pytest.approx((stdev([1, 3]), stdev([2, 6])))


@pytest.mark.parametrize(("size", "unit", "shown"), [(900, "bytes", 900), (2e4, "kB", 20), (3e8, "MB", 300)])
def test_sizes_are_in_a_unit_that_fits(size, unit, shown):
    (chart,) = KIND.charts(select([make_record(state_bytes=[int(size)])]), [])
    assert (chart.panels[1].y_label, chart.panels[1].series[0].y) == (unit, (shown,))


def test_methods_that_keep_nothing_and_little_and_much_share_an_axis(drawn):
    sizes = {"none": 0, "little": 100, "much": 10**6}
    (chart,) = KIND.charts(select([make_record(name, state_bytes=[size] * 2) for name, size in sizes.items()]), [])
    assert drawn(chart)[1].get_yscale() == "symlog"


@pytest.mark.parametrize(("repeats", "said"), [(1, False), (2, True)])
def test_the_caption_claims_no_mean_and_no_deviation_for_single_runs(repeats, said):
    (chart,) = KIND.charts(select([make_record(repeat=i) for i in range(repeats)]), [])
    assert ("± one standard deviation" in chart.caption) == bool(chart.caption) == said

from __future__ import annotations

from itertools import product
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lcbench.analysis.statistics.bootstrap import Interval, interval

DEEP = [[0.0, 2.0], [10.0, 14.0]]


def enumerated(groups) -> list[float]:
    """The mean of every resample; all are equally likely if the groups are equally large."""
    draws = [[fmean(drawn) for drawn in product(group, repeat=len(group))] for group in groups]
    return sorted(
        fmean(means)
        for orders in product(range(len(groups)), repeat=len(groups))
        for means in product(*(draws[g] for g in orders))
    )


def test_the_interval_over_two_orders_worked_by_hand():
    # (0, 0), (0, 1), (1, 0), (1, 1): means 0, 1/2, 1/2, 1
    assert interval([[0.0], [1.0]], confidence=0.4) == Interval(0.5, 0.5, 0.5, "orders")
    assert interval([[0.0], [1.0]], confidence=0.95) == Interval(0.5, 0.0, 1.0, "orders")


@pytest.mark.parametrize("confidence", [0.1, 0.37, 0.6, 0.81, 0.95])
def test_two_orders_of_two_repeats_agree_with_all_resamples(confidence):
    all_means = enumerated(DEEP)
    assert len(all_means) == 4 * 16
    found = interval(DEEP, confidence=confidence, resamples=200_000)
    exact = np.quantile(all_means, [(1 - confidence) / 2, (1 + confidence) / 2], method="inverted_cdf")
    assert (found.low, found.high) == pytest.approx(tuple(exact))
    assert found.mean == 6.5
    assert found.resampled == "orders and repeats"


def test_with_one_repeat_per_order_the_interval_is_scipys_percentile_bootstrap():
    values = np.random.default_rng(3).gamma(2.0, size=25)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=40_000, method="percentile", rng=1).confidence_interval
    ours = interval([[value] for value in values], resamples=40_000)
    width = theirs.high - theirs.low
    assert ours.mean == pytest.approx(values.mean())
    assert ours.low == pytest.approx(theirs.low, abs=0.03 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.03 * width)


def test_one_order_resamples_its_repeats():
    values = list(np.random.default_rng(4).normal(size=12))
    assert interval([values])[:3] == pytest.approx(interval([[value] for value in values])[:3], abs=0.05)
    assert interval([values]).resampled == "repeats"


def test_one_value_has_no_interval_and_none_is_an_error():
    assert interval([[0.3]]) == Interval(0.3, None, None, "nothing")
    with pytest.raises(ValueError, match="needs a value"):
        interval([[], []])


def test_every_order_has_the_same_weight_however_many_repeats_it_has():
    assert interval([[1.0, 1.0, 1.0], [4.0]]).mean == 2.5


def test_equal_repeats_do_not_make_the_interval_narrower():
    orders = list(np.random.default_rng(5).normal(size=8))
    nested = interval([[value] * 5 for value in orders])
    bag = interval([[value] for value in orders for _ in range(5)])
    assert nested.high - nested.low > 1.8 * (bag.high - bag.low)


@pytest.mark.parametrize("repeats", [1, 4])
def test_ninety_five_of_a_hundred_intervals_hold_the_true_mean(repeats):
    generator = np.random.default_rng(6)
    held = 0
    for _ in range(300):
        orders = generator.normal(1.0, 1.0, size=(30, 1))
        values = orders + generator.normal(0.0, 0.7, size=(30, repeats))
        found = interval(values.tolist(), resamples=1000)
        held += found.low <= 1.0 <= found.high
    assert 0.90 <= held / 300 <= 0.98


@given(
    st.lists(st.lists(st.floats(-1, 1), min_size=1, max_size=4), min_size=2, max_size=5),
    st.floats(-5, 5),
)
def test_an_interval_is_reproducible_and_moves_with_the_data(groups, shift):
    found = interval(groups, resamples=500)
    moved = interval([[value + shift for value in group] for group in groups], resamples=500)
    assert found == interval(groups, resamples=500)
    assert found.low <= found.high
    assert moved[:3] == pytest.approx([value + shift for value in found[:3]], abs=1e-9)

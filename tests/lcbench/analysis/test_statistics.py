from __future__ import annotations

from itertools import product
from math import sqrt
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lcbench.analysis.statistics import (
    Interval,
    Wilcoxon,
    critical_difference,
    friedman,
    holm,
    interval,
    mean_ranks,
    wilcoxon,
)
from lcbench.analysis.statistics import TestResult as Result

DEEP = [[0.0, 2.0], [10.0, 14.0]]
# Demšar 2006, table 5(a), the line q_0.05
Q = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}


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


def test_six_differences_of_one_sign_worked_by_hand():
    # one choice of signs of 64 is as extreme on either side
    assert wilcoxon([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) == Wilcoxon(2 / 64, 6, 0)
    # with the smallest turned around the rank sum is 1: two choices on either side
    assert wilcoxon([-0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).p_value == 4 / 64


@pytest.mark.parametrize("pairs", [6, 7, 10, 25, 50])
def test_the_exact_p_is_scipys(pairs):
    values = np.random.default_rng(pairs).normal(0.3, 1.0, size=pairs)
    assert wilcoxon(list(values)).p_value == pytest.approx(stats.wilcoxon(values, method="exact").pvalue, rel=1e-12)


def test_with_ties_p_is_scipys_over_all_signs():
    values = [0.1, 0.1, -0.1, 0.2, 0.2, 0.3, 0.3]
    theirs = stats.wilcoxon(values, method=stats.PermutationMethod(n_resamples=np.inf)).pvalue
    assert wilcoxon(values).p_value == pytest.approx(theirs, rel=1e-12)
    assert theirs != pytest.approx(stats.wilcoxon(values, method="exact").pvalue)


def test_values_that_differ_only_by_rounding_tie():
    assert wilcoxon([0.1 + 0.2, 0.3, -0.3, 0.4, 0.5, 0.6, 0.7]) == wilcoxon([0.3, 0.3, -0.3, 0.4, 0.5, 0.6, 0.7])


def test_many_pairs_have_scipys_approximation():
    values = np.random.default_rng(0).normal(0.2, 1.0, size=80)
    assert wilcoxon(list(values)).p_value == pytest.approx(stats.wilcoxon(values, method="approx").pvalue)


def test_zeros_are_left_out_and_counted():
    values = [0.1, 0.2, -0.3, 0.4, 0.5, 0.6]
    found = wilcoxon([*values, 0.0, 1e-15, -1e-16])
    assert (found.pairs, found.zeros) == (9, 3)
    assert found.p_value == wilcoxon(values).p_value


def test_too_few_pairs_have_no_p_but_a_reason():
    assert wilcoxon([0.1] * 5) == Wilcoxon(None, 5, 0, "5 differences other than zero, and the test needs 6")
    found = wilcoxon([0.1] * 5 + [0.0] * 4)
    assert (found.pairs, found.zeros, found.p_value) == (9, 4, None)


def test_holm_worked_by_hand():
    # sorted .005 .01 .03 .04, times 4 3 2 1: .02 .03 .06 .04, and none below the one before
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}) == pytest.approx(
        {"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02}
    )
    assert holm({"a": 0.7, "b": 0.6}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.999))
def test_holm_rejects_what_stepping_down_rejects(p_values, alpha):
    m = len(p_values)
    rejected = set()
    for step, i in enumerate(sorted(range(m), key=p_values.__getitem__)):
        if p_values[i] * (m - step) > alpha:
            break
        rejected.add(i)
    assert {i for i, p in holm(dict(enumerate(p_values))).items() if p <= alpha} == rejected


def table(values) -> dict[int, dict[int, float]]:
    return {i: dict(enumerate(row)) for i, row in enumerate(values)}


def test_mean_ranks_by_hand():
    scores = {"s": {"a": 0.9, "b": 0.5, "c": 0.5}, "t": {"a": 0.1, "b": 0.8, "c": 0.3, "d": 1.0}}
    assert mean_ranks(scores) == {"a": 2.0, "b": 1.75, "c": 2.25}
    assert mean_ranks(scores, greater_is_better=False) == {"a": 2.0, "b": 2.25, "c": 1.75}


def test_means_of_equal_scores_over_more_and_over_fewer_runs_tie():
    many, few = fmean([69 / 80] * 6), fmean([69 / 80] * 2)
    assert many != few
    assert mean_ranks({"s": {"a": many, "b": few}}) == {"a": 1.5, "b": 1.5}


@given(st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=1, max_size=6))
def test_mean_ranks_are_scipys(values):
    expected = np.mean([stats.rankdata([-v for v in row]) for row in values], axis=0)
    assert list(mean_ranks(table(values)).values()) == pytest.approx(list(expected))


@pytest.mark.parametrize("digits", [1, 6])
def test_friedman_is_scipys_with_and_without_ties(digits):
    values = np.random.default_rng(1).random((7, 5)).round(digits)
    assert friedman(table(values.tolist())) == pytest.approx(tuple(stats.friedmanchisquare(*values.T)))


def test_friedman_from_the_mean_ranks_by_hand():
    # three methods in the same order on five streams: rank sums 5, 10, 15, chi2 = 12/60 (25+100+225) - 60 = 10
    found = friedman(table([[3.0, 2.0, 1.0]] * 5))
    assert found == pytest.approx((10.0, np.exp(-5.0)))


def test_friedman_of_two_methods_is_the_sign_test_by_its_normal_approximation():
    values = [[0.9, 0.1]] * 4 + [[0.1, 0.9]] * 2 + [[0.5, 0.5]]
    statistic = (4 - 2) ** 2 / (4 + 2)
    assert friedman(table(values)) == pytest.approx((statistic, stats.chi2.sf(statistic, 1)))


def test_friedman_of_methods_that_always_tie_is_zero_and_one_method_is_refused():
    assert friedman(table([[0.5, 0.5]] * 6)) == Result(0.0, 1.0)
    with pytest.raises(ValueError, match="two methods"):
        friedman({"s": {"a": 1.0}})


@pytest.mark.parametrize("methods", Q)
def test_the_critical_difference_is_that_of_demsars_table(methods):
    assert critical_difference(methods, 12) == pytest.approx(
        Q[methods] * sqrt(methods * (methods + 1) / (6 * 12)), abs=0.001
    )


def test_the_critical_difference_is_that_of_demsars_example():
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(5, 30, alpha=0.10) == pytest.approx(2.459 * sqrt(5 * 6 / 180), abs=0.001)

from __future__ import annotations

from math import sqrt
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lcbench.analysis.statistics.ranks import TestResult as Result
from lcbench.analysis.statistics.ranks import critical_difference, friedman, mean_ranks

# Demšar 2006, table 5(a), the line q_0.05
Q = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}


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

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lcbench.analysis.statistics.paired import Wilcoxon, holm, wilcoxon


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

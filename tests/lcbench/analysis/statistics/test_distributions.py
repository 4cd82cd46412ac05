from __future__ import annotations

from math import inf

import pytest
from scipy import stats

from lcbench.analysis.statistics.distributions import chi_squared_tail, studentized_range_quantile


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 7, 12, 39])
@pytest.mark.parametrize("x", [0.0, 1e-9, 0.3, 1.0, 3.84, 10.0, 55.0, 400.0])
def test_the_tail_of_chi_squared_is_scipys(x, degrees):
    assert chi_squared_tail(x, degrees) == pytest.approx(stats.chi2.sf(x, degrees), rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("groups", [2, 3, 5, 10, 20, 50])
@pytest.mark.parametrize("p", [0.5, 0.9, 0.95, 0.99])
def test_the_quantile_of_the_range_is_scipys(p, groups):
    assert studentized_range_quantile(p, groups) == pytest.approx(stats.studentized_range.ppf(p, groups, inf), rel=1e-6)


def test_the_range_of_two_is_a_normal_difference():
    assert studentized_range_quantile(0.95, 2) == pytest.approx(stats.norm.ppf(0.975) * 2**0.5, rel=1e-9)

"""Statistical tests: hierarchical bootstrap, Wilcoxon, Holm, Friedman, Nemenyi.

References
----------
Demšar, Statistical Comparisons of Classifiers over Multiple Data Sets, Journal of Machine Learning Research 7, 2006.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from math import inf, sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lcbench.printable import counted

if TYPE_CHECKING:
    import numpy as np

RESAMPLES = 10_000
LEAST_PAIRS = 6  # with five the smallest two-sided p is 2/32, which is above 0.05
MOST_EXACT = 50
LEAST_STREAMS = 5
ROUNDING = 1e-12  # differences of scores that are closer than this to each other, or to zero, are equal
DECIMALS = 12  # means of equal scores over different numbers of runs differ only beyond these
K = TypeVar("K", bound=Hashable)
S = TypeVar("S", bound=Hashable)


class Interval(NamedTuple):
    """A mean and its interval, whose ends are None if there is only one value.

    `resampled` names what was drawn: orders, repeats, both, or nothing.
    """

    mean: float
    low: float | None
    high: float | None
    resampled: str


def interval(
    groups: Sequence[Sequence[float]], *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """The percentile interval of the mean over groups, by a hierarchical bootstrap; with one group, over its values.

    With groups g = 1..G (orders) of n_g values (repeats), the figure is the mean of the groups' means,

        m = (1/G) sum_g (1/n_g) sum_i x_gi.

    A resample draws G groups with replacement, and within each group drawn, each time anew, n_g of its values with
    replacement; the interval is between the (1 - c)/2 and (1 + c)/2 quantiles of the resampled means. Repeats of one
    order are alike, so drawing all values from one bag would make the interval too narrow.

    References
    ----------
    Efron and Tibshirani, An Introduction to the Bootstrap, Chapman & Hall 1993, chapter 13 (percentile interval);
    Davison and Hinkley, Bootstrap Methods and their Application, Cambridge University Press 1997, section 3.8
    (hierarchical data); Saravanan, Berman and Sober, Application of the hierarchical bootstrap to multi-level data in
    neuroscience, Neurons, Behavior, Data Analysis and Theory 3(5), 2020.
    """
    filled = [group for group in groups if len(group)]
    if not filled:
        raise ValueError("an interval needs a value")
    mean = fmean(map(fmean, filled))
    sizes = tuple(map(len, filled))
    if sum(sizes) == 1:
        return Interval(mean, None, None, "nothing")
    import numpy as np

    means = _weights(sizes, resamples, seed) @ np.concatenate([np.asarray(group, dtype=float) for group in filled])
    means.sort()
    ends = np.array([(1 - confidence) / 2, (1 + confidence) / 2]) * (resamples - 1)
    low, high = np.interp(ends, np.arange(resamples), means)
    resampled = "repeats" if len(sizes) == 1 else "orders" if max(sizes) == 1 else "orders and repeats"
    return Interval(mean, float(low), float(high), resampled)


@lru_cache(maxsize=2)
def _weights(sizes: tuple[int, ...], resamples: int, seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The weight of each value in each resample; it does not depend on the values, so it is drawn once."""
    import numpy as np

    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(len(sizes), [1 / len(sizes)] * len(sizes), size=resamples)
    within = [
        generator.multinomial(drawn[:, g] * n, [1 / n] * n) / (n * len(sizes))
        if n > 1
        else drawn[:, g, None] / len(sizes)
        for g, n in enumerate(sizes)
    ]
    return np.hstack(within)


class Wilcoxon(NamedTuple):
    """The two-sided p of a signed-rank test; None with too few differences, and `reason` then says so."""

    p_value: float | None
    pairs: int
    zeros: int
    reason: str = ""


def wilcoxon(differences: Sequence[float]) -> Wilcoxon:
    """Wilcoxon's signed-rank test of differences against zero, two-sided.

    The differences that are not zero are ranked by size (equal ones share their mean rank) and W is the sum of the
    ranks of the positive ones; under the hypothesis each has either sign with probability 1/2. Zeros are dropped, as
    Wilcoxon did. Up to fifty differences the distribution is exact, with ties too; then it is the normal approximation.

    References
    ----------
    Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1(6), 1945.
    """
    values = [_rounded(value) for value in differences]
    nonzero = [value for value in values if value]
    zeros = len(values) - len(nonzero)
    if len(nonzero) < LEAST_PAIRS:
        reason = f"{counted(len(nonzero), 'difference')} other than zero, and the test needs {LEAST_PAIRS}"
        return Wilcoxon(None, len(values), zeros, reason)
    if len(nonzero) <= MOST_EXACT:
        return Wilcoxon(_exact(nonzero), len(values), zeros)
    from scipy.stats import wilcoxon as signed_rank_test

    return Wilcoxon(float(signed_rank_test(nonzero, method="asymptotic").pvalue), len(values), zeros)


def holm(p_values: Mapping[K, float]) -> dict[K, float]:
    """Holm's step-down correction of m p-values: the i-th smallest becomes max_{j<=i} min(1, (m - j + 1) p_(j)).

    References
    ----------
    Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6(2), 1979.
    """
    corrected: dict[K, float] = {}
    highest = 0.0
    for i, (key, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        highest = max(highest, min(1.0, (len(p_values) - i) * p))
        corrected[key] = highest
    return {key: corrected[key] for key in p_values}


def _exact(values: Sequence[float]) -> float:
    """The two-sided p over all ways to give signs to the ranks.

    Methods that do not depend on the order make ties common, and with ties scipy's p is not exact beyond 13 values.
    """
    sizes = [abs(value) for value in values]
    doubled = [2 * sum(other < size for other in sizes) + sizes.count(size) + 1 for size in sizes]  # whole with ties
    ways = [1] + [0] * sum(doubled)  # ways[w]: how many choices of signs have a doubled rank sum of w
    for rank in doubled:
        ways = [count + (ways[w - rank] if w >= rank else 0) for w, count in enumerate(ways)]
    positive = sum(rank for rank, value in zip(doubled, values, strict=True) if value > 0)
    extreme = min(positive, sum(doubled) - positive)
    return min(1.0, 2 * sum(ways[: extreme + 1]) / (1 << len(values)))


def _rounded(value: float) -> float:
    """Round, so that the same scores summed in another order give the same number, and zero is exactly zero."""
    return round(value / ROUNDING) * ROUNDING


class TestResult(NamedTuple):
    """The statistic of a test and its p-value."""

    statistic: float
    p_value: float


def mean_ranks(scores: Mapping[S, Mapping[K, float]], *, greater_is_better: bool = True) -> dict[K, float]:
    """The mean over streams of each method's rank, 1 for the best; only methods with scores on all streams are ranked.

    Methods that tie share the mean of their ranks.
    """
    methods = common_methods(scores)
    sign = -1 if greater_is_better else 1
    ranked = [_ranks([sign * found[method] for method in methods]) for found in scores.values()]
    return {method: fmean(ranks[i] for ranks in ranked) for i, method in enumerate(methods)}


def common_methods(scores: Mapping[S, Mapping[K, float]]) -> list[K]:
    """The methods that have a score on every stream."""
    streams = list(scores.values())
    return [method for method in streams[0] if all(method in found for found in streams)] if streams else []


def friedman(scores: Mapping[S, Mapping[K, float]]) -> TestResult:
    """Friedman's test of the hypothesis that all methods have the same mean rank.

    With k methods on N streams and R_j the sum of the ranks of method j,

        chi2 = (12 / (N k (k + 1)) sum_j R_j^2 - 3 N (k + 1)) / (1 - sum_t (t^3 - t) / (N k (k^2 - 1)))

    over the sizes t of groups of ties, against chi-squared with k - 1 degrees of freedom. (That of scipy refuses two
    methods.)

    References
    ----------
    Friedman, The use of ranks to avoid the assumption of normality implicit in the analysis of variance, Journal of
    the American Statistical Association 32(200), 1937; Demšar 2006, section 3.2.2.
    """
    methods = common_methods(scores)
    k, n = len(methods), len(scores)
    if k < 2:
        raise ValueError("Friedman's test needs two methods that are on all streams")
    rows = [_ranks([found[method] for method in methods]) for found in scores.values()]
    sums = [sum(column) for column in zip(*rows, strict=True)]
    ties = sum(t**3 - t for row in rows for t in map(row.count, set(row)))
    correction = 1 - ties / (n * k * (k**2 - 1))
    if correction <= 0:  # all methods tie everywhere
        return TestResult(0.0, 1.0)
    statistic = (12 / (n * k * (k + 1)) * sum(total**2 for total in sums) - 3 * n * (k + 1)) / correction
    from scipy.stats import chi2

    return TestResult(statistic, float(chi2.sf(statistic, k - 1)))


def critical_difference(methods: int, streams: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference CD = q_alpha sqrt(k (k + 1) / (6 N)) for k methods on N streams.

    Mean ranks that differ by more differ at level alpha; q_alpha is the quantile of the Studentized range with
    infinite degrees of freedom, divided by sqrt(2).

    References
    ----------
    Nemenyi, Distribution-free Multiple Comparisons, PhD thesis, Princeton 1963; Demšar 2006, section 3.2.2.
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, methods, inf)) / sqrt(2)
    return q * sqrt(methods * (methods + 1) / (6 * streams))


def _ranks(values: Sequence[float]) -> list[float]:
    """The ranks of values, 1 for the smallest; equal values share the mean of their ranks."""
    rounded = [round(value, DECIMALS) for value in values]
    return [sum(other < value for other in rounded) + (rounded.count(value) + 1) / 2 for value in rounded]

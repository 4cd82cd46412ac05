"""Wilcoxon's signed-rank test, and Holm's correction for several tests."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from lcbench.printable import counted

LEAST_PAIRS = 6  # with five the smallest two-sided p is 2/32, which is above 0.05
ROUNDING = 1e-12  # differences of scores that are closer than this to each other, or to zero, are equal
MOST_EXACT = 50
K = TypeVar("K", bound=Hashable)


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

"""The chi-squared tail and the Studentized range quantile, for tests of ranks.

scipy.stats has both, but takes longer to import than a thousand runs take to compare; our tests check these against it.
"""

from __future__ import annotations

from math import erf, erfc, exp, lgamma, log, pi, sqrt

STEPS = 800
REACH = 8.0  # beyond eight standard deviations nothing is left


def chi_squared_tail(x: float, degrees: int) -> float:
    """P(X > x) of chi-squared with whole degrees of freedom.

    With h = x/2 it is Q(1) = erfc(sqrt(h)) or Q(2) = exp(-h), and Q(n + 2) = Q(n) + h^(n/2) exp(-h) / Gamma(n/2 + 1).

    References
    ----------
    Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.4.4, 26.4.5 and 26.4.8.
    """
    if x <= 0:
        return 1.0
    h = x / 2
    tail, n = (erfc(sqrt(h)), 1) if degrees % 2 else (exp(-h), 2)
    for m in range(n, degrees, 2):
        tail += exp(m / 2 * log(h) - h - lgamma(m / 2 + 1))
    return min(tail, 1.0)


def studentized_range_quantile(p: float, groups: int) -> float:
    """The p-quantile of the range of k independent standard normal variables (infinite degrees of freedom).

    P(range <= q) = k int phi(z) (Phi(z) - Phi(z - q))^(k-1) dz, by the trapezoidal rule, which is as good as exact for
    an integrand that vanishes at both ends; q by bisection.

    References
    ----------
    Tippett, On the extreme individuals and the range of samples taken from a normal population, Biometrika 17, 1925.
    """
    low, high = 0.0, 2 * REACH
    for _ in range(40):
        middle = (low + high) / 2
        if _range_below(middle, groups) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _range_below(q: float, groups: int) -> float:
    """P(range <= q), by the trapezoidal rule."""
    step = 2 * REACH / STEPS
    points = (-REACH + i * step for i in range(STEPS + 1))
    density = (exp(-z * z / 2) * ((erf(z / sqrt(2)) - erf((z - q) / sqrt(2))) / 2) ** (groups - 1) for z in points)
    return groups * step * sum(density) / sqrt(2 * pi)

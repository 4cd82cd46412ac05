"""Hierarchical bootstrap: the confidence interval of a mean over orders and repeats.

With groups g = 1..G (orders) of n_g values (repeats), the figure is the mean of the groups' means,

    m = (1/G) sum_g (1/n_g) sum_i x_gi.

A resample draws G groups with replacement, and within each group drawn, each time anew, n_g of its values with
replacement; the interval is between the (1 - c)/2 and (1 + c)/2 quantiles of the resampled means. Repeats of one order
are alike, so drawing all values from one bag would make the interval too narrow.

References
----------
Efron and Tibshirani, An Introduction to the Bootstrap, Chapman & Hall 1993, chapter 13 (percentile interval);
Davison and Hinkley, Bootstrap Methods and their Application, Cambridge University Press 1997, section 3.8
(hierarchical data); Saravanan, Berman and Sober, Application of the hierarchical bootstrap to multi-level data in
neuroscience, Neurons, Behavior, Data Analysis and Theory 3(5), 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

RESAMPLES = 10_000


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
    """The percentile interval of the mean over groups; with one group only, over its values."""
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

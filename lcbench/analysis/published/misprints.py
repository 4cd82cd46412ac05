"""Finds misprints: printed averages that are not the mean of the figures above them."""

from __future__ import annotations

from statistics import fmean
from typing import NamedTuple

from lcbench.analysis.published.figures import AVERAGE, Published

TOLERANCE = 0.015
"""The largest difference of a printed average to the mean of its printed rows that rounding can explain.

Figures have two decimals. Rounding moves every row by up to 0.005, and so their mean; an average that was cut off
after two decimals instead of rounded is up to 0.01 too small. Together that is 0.015: an average that is further away
was not computed from these rows.
"""
_FLOAT_NOISE = 1e-9


class Misprint(NamedTuple):
    """A printed average, and the mean of the rows it should be the average of."""

    metric: str
    method: str
    printed: float
    recomputed: float


def recomputed_average(published: Published, metric: str, method: str) -> float:
    """The mean over tasks of the figures that the paper prints for a method."""
    return fmean(published.figure(metric, task, method).mean for task in published.tasks)


def misprint(published: Published, metric: str, method: str) -> Misprint | None:
    """The misprint in a method's average, if it is further from the mean of its rows than `TOLERANCE`."""
    printed = published.figure(metric, AVERAGE, method).mean
    recomputed = recomputed_average(published, metric, method)
    wrong = abs(printed - recomputed) > TOLERANCE + _FLOAT_NOISE
    return Misprint(metric, method, printed, recomputed) if wrong else None


def misprints(published: Published) -> list[Misprint]:
    """All misprinted averages of a table."""
    pairs = [(metric, method) for metric in published.figures for method in published.methods]
    return [found for metric, method in pairs if (found := misprint(published, metric, method)) is not None]

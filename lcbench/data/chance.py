"""Chance scores: what random labels score on tasks with classes of given sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from lcbench.contract.metric import Contingency, ExternalMetric, Metric

if TYPE_CHECKING:
    from lcbench.contract.specs import TaskShape

DRAWS = 20


def chance_scores(shapes: Sequence[TaskShape], metrics: Mapping[str, Metric]) -> dict[str, float]:
    """The mean score by metric, over the tasks whose classes are known, of labels drawn evenly from the clusters.

    The draws are the same each time. Empty if no task has classes.
    """
    generator = np.random.default_rng(0)
    external = {name: metric for name, metric in metrics.items() if isinstance(metric, ExternalMetric)}
    scores: dict[str, list[float]] = {name: [] for name in external}
    for shape in shapes:
        sizes = [count for _, count in shape.classes]
        if not sizes:
            continue
        y = np.repeat(np.arange(len(sizes)), sizes)
        tables = [Contingency(y, generator.integers(shape.clusters or len(sizes), size=len(y))) for _ in range(DRAWS)]
        for name, metric in external.items():
            scores[name].append(fmean(metric.score(table) for table in tables))
    return {name: fmean(found) for name, found in scores.items() if found}

"""Computes scores: every metric on the labels of every task, guarded against errors."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence

from lcbench.contract.metric import Contingency, ExternalMetric, InternalMetric, Metric
from lcbench.contract.task import IntArray, LabelledTask, Task

logger = logging.getLogger(__name__)


def score_row(
    metrics: Mapping[str, Metric], tasks: Sequence[LabelledTask], labels: Mapping[str, IntArray]
) -> dict[str, list[float | None]]:
    """The score of each of `tasks` under each metric; None for a task that is not in `labels`."""
    row: dict[str, list[float | None]] = {name: [] for name in metrics}
    for labelled in tasks:
        found = labels.get(labelled.name)
        table = None if found is None or labelled.y is None else Contingency(labelled.y, found)
        for name, metric in metrics.items():
            row[name].append(None if found is None else _score(name, metric, labelled.task, table, found))
    return row


def _score(name: str, metric: Metric, task: Task, table: Contingency | None, labels: IntArray) -> float | None:
    """The score; None where it is not defined. A metric that raises is a warning, and loses this cell only."""
    try:
        if isinstance(metric, ExternalMetric):
            if table is None:
                return None  # the true classes are not known
            value = float(metric.score(table))
        elif isinstance(metric, InternalMetric):
            value = float(metric.score(task.X, labels))
        else:
            raise TypeError(f"{type(metric).__name__} is neither an ExternalMetric nor an InternalMetric")
    except Exception as error:
        logger.warning("Metric '%s' failed on task '%s': %s: %s", name, task.name, type(error).__name__, error)
        return None
    return finite_or_none(value)


def finite_or_none(value: float) -> float | None:
    """The value; None for NaN and infinity, which JSON cannot hold."""
    return value if math.isfinite(value) else None

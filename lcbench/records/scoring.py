"""Computes scores and agreement from labels, of runs that are made and of stored ones.

The agreement of two partitions of a task is their adjusted Rand index: it shows if the labels of a task drift.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from lcbench.errors import RecordError
from lcbench.records.record import OK, is_scored, parse_evaluate
from lcbench.registry.plugin_code import fault_of

if TYPE_CHECKING:
    from lcbench.contract.metric import Contingency, Metric
    from lcbench.contract.task import IntArray, LabelledTask, Task
    from lcbench.records.record import RunRecord
    from lcbench.records.store import Store

logger = logging.getLogger(__name__)


def score_row(
    metrics: Mapping[str, Metric], tasks: Sequence[LabelledTask], labels: Mapping[str, IntArray]
) -> dict[str, list[float | None]]:
    """The score of each of `tasks` under each metric; None for a task that is not in `labels`."""
    from lcbench.contract.metric import Contingency

    row: dict[str, list[float | None]] = {name: [] for name in metrics}
    for labelled in tasks:
        found = labels.get(labelled.name)
        table = None if found is None or labelled.y is None else Contingency(labelled.y, found)
        for name, metric in metrics.items():
            row[name].append(None if found is None else _score(name, metric, labelled.task, table, found))
    return row


def _score(name: str, metric: Metric, task: Task, table: Contingency | None, labels: IntArray) -> float | None:
    """The score; None where it is not defined. A metric that raises is a warning, and loses this cell only."""
    from lcbench.contract.metric import ExternalMetric, InternalMetric

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
        logger.warning("Metric '%s' failed on task '%s': %s", name, task.name, fault_of(error))
        return None
    return finite_or_none(value)


def finite_or_none(value: float) -> float | None:
    """The value; None for NaN and infinity, which JSON cannot hold."""
    return value if math.isfinite(value) else None


def agreement_row(
    order: Sequence[str], learned: Mapping[str, IntArray], now: Mapping[str, IntArray]
) -> list[float | None]:
    """The ARI of each task's partition `now` with the one when it was `learned`; None if either is missing."""
    return [_agreement(now[task], learned[task]) if task in learned and task in now else None for task in order]


def largest_shares(order: Sequence[str], labels: Mapping[str, IntArray]) -> list[float | None]:
    """The share of each task's samples that are in its largest cluster; None for a task without labels."""
    from lcbench.contract.metric import groups

    largest = {task: float(groups(found)[1].max() / len(found)) for task, found in labels.items()}
    return [largest.get(task) for task in order]


def agreement_matrix(order: Sequence[str], labels: Sequence[Mapping[str, IntArray]]) -> list[list[float | None]]:
    """A[i][j]: the ARI of the j-th task's partition after i + 1 tasks with the one when it was learned, for j <= i.

    `labels` are by step and task, as in `RunRecord.labels`. A cell is None where a task has no labels in that step.
    """
    learned: dict[str, IntArray] = {}
    rows = []
    for task, now in zip(order, labels, strict=False):  # a run that failed has fewer steps than tasks
        learned[task] = now[task]
        rows.append(agreement_row(order, learned, now))
    return rows


def _agreement(now: IntArray, before: IntArray) -> float:
    """The ARI of two partitions; that of scikit-learn takes many times as long, and a run has a value per cell."""
    import numpy as np

    from lcbench.contract.metric import Contingency

    return 1.0 if np.array_equal(now, before) else Contingency(now, before).adjusted_rand_index


def add_scores(
    record: RunRecord,
    metrics: Sequence[str],
    score: Callable[[Mapping[str, IntArray]], Mapping[str, list[float | None]]],
) -> None:
    """Add the scores of `metrics` to a record, from its labels; and its `agreement` if an older lcbench wrote none.

    `score` makes a row of scores, for all tasks of the record's order, from labels by task.
    """
    every = parse_evaluate(record.evaluate)
    for name in metrics:
        record.scores[name] = []
    for i, found in enumerate(record.labels):
        row = score(found if is_scored(i + 1, len(record.order), every) else {})
        for name in metrics:
            record.scores[name].append(row[name])
    record.agreement = record.agreement or agreement_matrix(record.order, record.labels)
    record.largest = record.largest or largest_shares(record.order, record.labels[-1])


def complete(record: RunRecord, store: Store) -> None:
    """Add what a finished record of an older lcbench lacks, from its stored labels; without them it stays empty."""
    if record.status == OK and record.digest is not None and not (record.agreement and record.largest):
        try:
            labels = store.load_labels(record.run_id)
        except RecordError as error:
            if not error.missing:
                logger.warning("%s", error)
            return
        record.agreement = record.agreement or agreement_matrix(record.order, labels)
        record.largest = largest_shares(record.order, labels[-1])

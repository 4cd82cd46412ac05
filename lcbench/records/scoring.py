"""Computes scores and agreement from labels, of runs that are made and of stored ones.

The agreement of two partitions of a task is their adjusted Rand index: it shows if the labels of a task drift.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from lcbench.errors import RecordError
from lcbench.records.record import OK, is_scored, parse_evaluate
from lcbench.registry.plugin_code import fault_of

if TYPE_CHECKING:
    from lcbench.contract.metric import Contingency, Groups, Metric
    from lcbench.contract.task import IntArray, LabelledTask, Task
    from lcbench.records.record import RunRecord
    from lcbench.records.store import Store

    Cell = tuple[float | None, float]  # agreement with the labels when learned, and the share of the largest cluster

logger = logging.getLogger(__name__)
LARGEST = 1e300  # a score or an objective that is larger is none: means of many must be numbers


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
    """The value; None for NaN and infinity, which JSON cannot hold, and for values whose sums would be infinite."""
    return value if abs(value) <= LARGEST else None


class Drift:
    """Compares the labels of each step with those when each task was learned; looks at each array of labels once."""

    def __init__(self, order: Sequence[str]) -> None:
        self._places = {task: j for j, task in enumerate(order)}
        self._learned: dict[str, tuple[IntArray, Groups]] = {}
        self._last: dict[str, tuple[IntArray, Cell]] = {}

    def cells(self, task: str, labels: Mapping[str, IntArray]) -> dict[str, Cell]:
        """After a step that learned `task`: the agreement of each task with labels, and its share in one cluster."""
        from lcbench.contract.metric import groups

        self._learned[task] = labels[task], groups(labels[task])
        self._last.pop(task, None)
        return {name: self._cell(name, now) for name, now in labels.items()}

    def rows(self, cells: Mapping[str, Cell]) -> tuple[list[float | None], list[float | None]]:
        """The agreements and the shares by the order of tasks, with None for those without labels."""
        agreement: list[float | None] = [None] * len(self._places)
        largest = agreement.copy()
        for name, cell in cells.items():
            place = self._places[name]
            agreement[place], largest[place] = cell
        return agreement, largest

    def _cell(self, task: str, now: IntArray) -> Cell:
        from lcbench.contract.metric import Contingency, groups

        labels, cell = self._last.get(task, (None, None))
        if cell is None or labels is not now:
            before = self._learned.get(task)
            if before is None:
                found, agreement = groups(now), None
            elif now is before[0] or _equal(now, before[0]):
                found, agreement = before[1], 1.0
            else:
                found = groups(now)
                agreement = Contingency.of_groups(found, before[1]).adjusted_rand_index
            cell = agreement, _largest(found)
            self._last[task] = now, cell
        return cell


def _equal(some: IntArray, others: IntArray) -> bool:
    return some.shape == others.shape and bool((some == others).all())


def largest_shares(order: Sequence[str], labels: Mapping[str, IntArray]) -> list[float | None]:
    """The share of each task's samples that are in its largest cluster; None for a task without labels."""
    from lcbench.contract.metric import groups

    return [_largest(groups(labels[task])) if task in labels else None for task in order]


def _largest(found: Groups) -> float:
    return int(found.sizes.max()) / len(found.of_samples)


def agreement_matrix(order: Sequence[str], labels: Sequence[Mapping[str, IntArray]]) -> list[list[float | None]]:
    """A[i][j]: the ARI of the j-th task's partition after i + 1 tasks with the one when it was learned, for j <= i.

    `labels` are by step and task, as in `RunRecord.labels`. A cell is None where a task has no labels in that step.
    """
    drift = Drift(order)  # a run that failed has fewer steps than tasks
    return [drift.rows(drift.cells(task, now))[0] for task, now in zip(order, labels, strict=False)]


def add_scores(
    record: RunRecord,
    metrics: Sequence[str],
    score: Callable[[Sequence[Mapping[str, IntArray]]], Sequence[Mapping[str, list[float | None]]]],
) -> None:
    """Add the scores of `metrics` to a record, from its labels; and its agreement and shares if it has none yet.

    `score` makes rows of scores, for all tasks of the record's order, from the labels by task of each step.
    """
    every, total = parse_evaluate(record.evaluate), len(record.order)
    rows = score([found if is_scored(i + 1, total, every) else {} for i, found in enumerate(record.labels)])
    for name in metrics:
        record.scores[name] = [row[name] for row in rows]
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

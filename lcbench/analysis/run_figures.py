"""Computes the lifelong figures of one run, and the scores of its baseline."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.records.formulas import FORMULAS, Cell
from lcbench.records.record import OK, RunRecord
from lcbench.registry.metrics import greater_is_better


def alone_score(baseline: RunRecord | None, metric: str, task: str) -> Cell:
    """The score of a single-task method on a task: at its arrival, or at the end if only that was scored.

    None unless the baseline succeeded, has the metric and learned the task.
    """
    if baseline is None or baseline.status != OK or task not in baseline.order or metric not in baseline.scores:
        return None
    R, position = baseline.scores[metric], baseline.order.index(task)
    at_arrival = R[position][position]
    return R[-1][position] if at_arrival is None else at_arrival


def alone_scores(baseline: RunRecord | None, metric: str, order: Sequence[str]) -> list[Cell]:
    """The single-task score of every task, in the given order."""
    return [alone_score(baseline, metric, task) for task in order]


def figures_of(run: RunRecord, metric: str, baseline: RunRecord | None) -> dict[str, Cell]:
    """The figures of a run by name, in the order of FORMULAS; None for a figure whose inputs are missing.

    `baseline` is the run of the single-task method that `run` is measured against, if there is one.
    """
    R = run.scores.get(metric)
    if run.status != OK or R is None:
        return {formula.name: None for formula in FORMULAS}
    alone, better = alone_scores(baseline, metric, run.order), greater_is_better(metric)
    return {f.name: f.compute(R, alone=alone, agreement=run.agreement, greater_is_better=better) for f in FORMULAS}

"""Scores of one run: of its tasks, their average, lifelong figures; means over runs.

In place of a task, None stands for the average over all tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, TypeAlias

from lcbench.records.formulas import FORMULAS, Cell
from lcbench.records.record import OK, RunRecord
from lcbench.registry.metrics import greater_is_better

TaskOrAverage: TypeAlias = str | None
AVERAGE = "average"  # as tables call it
END, ARRIVAL = "end", "arrival"


@dataclass(frozen=True, slots=True)
class Spread:
    """The mean over `count` runs and their sample standard deviation, which is None for a single run."""

    mean: float
    sd: float | None
    count: int

    @classmethod
    def of(cls, values: Sequence[float | None]) -> Spread | None:
        """The spread of the values that are not None; None if there are none."""
        known = [value for value in values if value is not None]
        return cls(fmean(known), stdev(known) if len(known) > 1 else None, len(known)) if known else None


def task_scores(run: RunRecord, metric: str, at: str, tasks: Sequence[str]) -> dict[TaskOrAverage, float | None]:
    """Task -> score, and None -> the average, if every task has a score; empty if the run lacks the metric."""
    R = run.scores.get(metric)
    if not R or len(R) < len(run.order):
        return {}
    positions = {task: j for j, task in enumerate(run.order)}
    cells: dict[TaskOrAverage, float | None] = {
        task: R[-1 if at == END else j][j] for task in tasks if (j := positions.get(task)) is not None
    }
    known = [cell for cell in cells.values() if cell is not None]
    average = fmean(known) if known and len(known) == len(tasks) else None
    return {**cells, None: average}


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


def solo_scores(run: RunRecord, metric: str, by_id: Mapping[str, RunRecord]) -> list[Cell] | None:
    """The score of every task, in the order of a run, where the same method learned it alone; None if there is none."""
    solos = [by_id.get(run_id) for run_id in run.solo_ids]
    found = [alone_score(solo, metric, task) for solo, task in zip(solos, run.order, strict=bool(solos))]
    return found if any(score is not None for score in found) else None


def figures_of(
    run: RunRecord, metric: str, baseline: RunRecord | None, solos: Mapping[str, RunRecord] | None = None
) -> dict[str, Cell]:
    """The figures of a run by name, in the order of FORMULAS; None for a figure whose inputs are missing.

    `baseline` is the run of the single-task method that `run` is measured against, if there is one; `solos` has, by
    their ids, the runs in which the method learned a task alone.
    """
    R = run.scores.get(metric)
    if run.status != OK or R is None:
        return {formula.name: None for formula in FORMULAS}
    given: dict[str, Any] = {
        "solo": solo_scores(run, metric, solos or {}),
        "alone": None if baseline is None else alone_scores(baseline, metric, run.order),
        "agreement": run.agreement,
        "greater_is_better": greater_is_better(metric),
    }
    return {formula.name: formula.compute(R, **given) for formula in FORMULAS}

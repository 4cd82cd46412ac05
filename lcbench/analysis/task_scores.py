"""The score of every task of a run, at the end or right after it was learned."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from lcbench.analysis.comparison import TaskOrAverage
from lcbench.errors import ParameterError
from lcbench.records.record import RunRecord

END, ARRIVAL = "end", "arrival"


def check_moment(at: str) -> None:
    """Refuse a moment that is neither `end` nor `arrival`."""
    if at not in (END, ARRIVAL):
        raise ParameterError(f"at takes {END} or {ARRIVAL}, not '{at}'.")


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

"""The lifelong table: how well each task is clustered after 1, 2, ... tasks were learned."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from lcbench.record import OK, RunRecord


@dataclass(frozen=True, slots=True)
class TableCell:
    """The mean score of a task over the `count` runs that had learned it by then, of `total` runs.

    With `count` 0 and a mean, the mean is over runs that had not learned the task yet.
    """

    mean: float | None
    count: int
    total: int


@dataclass(frozen=True, slots=True)
class LifelongTable:
    """Rows are tasks, columns numbers of tasks learned. Column 0 is the single-task baseline, if there is one."""

    label: str
    metric: str
    baseline: str | None
    tasks: tuple[str, ...]
    columns: tuple[int, ...]
    cells: Mapping[tuple[str, int], TableCell]

    def average(self, column: int) -> float | None:
        """The mean over the tasks learned by then; at 0 that of the baseline over all tasks."""
        return _mean([cell.mean for (_, c), cell in self.cells.items() if c == column and cell.count])

    def gain(self, column: int) -> float | None:
        """The mean difference to the baseline over the tasks learned by then; None without a baseline."""
        changes = []
        for (task, c), cell in self.cells.items():
            start = self.cells.get((task, 0))
            if c == column != 0 and cell.count and cell.mean is not None and start and start.mean is not None:
                changes.append(cell.mean - start.mean)
        return _mean(changes)


def group_runs(runs: Sequence[RunRecord]) -> dict[tuple[str, str], list[RunRecord]]:
    """The runs by (stream, method) as the user named them, in the order of their first run."""
    groups: dict[tuple[str, str], list[RunRecord]] = {}
    for run in runs:
        groups.setdefault((run.stream_label, run.label), []).append(run)
    return groups


def lifelong_table(runs: Sequence[RunRecord], metric: str, by_id: Mapping[str, RunRecord]) -> LifelongTable:
    """The table of one method on one stream, over the runs that came to their end."""
    done = [run for run in runs if run.status == OK and metric in run.scores]
    tasks = _row_order(runs)
    steps = max((len(run.order) for run in done), default=0)
    baselines = [by_id[run.baseline] for run in done if run.baseline is not None and run.baseline in by_id]
    cells = {(task, m): _cell(done, metric, task, m) for task in tasks for m in range(1, steps + 1)}
    if baselines:
        cells |= {(task, 0): _baseline_cell(baselines, metric, task) for task in tasks}
    columns = tuple(range(0 if baselines else 1, steps + 1))
    label = baselines[0].label if baselines else None
    return LifelongTable(runs[0].label, metric, label, tasks, columns, cells)


def _row_order(runs: Sequence[RunRecord]) -> tuple[str, ...]:
    """The tasks in arrival order where all runs share it, else by name with numbers by value."""
    tasks = dict.fromkeys(task for run in runs for task in run.order)
    if all(run.order == runs[0].order for run in runs):
        return tuple(tasks)
    return tuple(sorted(tasks, key=lambda name: [(not p.isdigit(), p.zfill(20)) for p in re.split(r"(\d+)", name)]))


def _cell(runs: Sequence[RunRecord], metric: str, task: str, learned: int) -> TableCell:
    seen: list[float] = []
    ahead: list[float] = []
    total = 0
    for run in runs:
        if task not in run.order or learned > len(run.order):
            continue
        total += 1
        position = run.order.index(task)
        score = run.scores[metric][learned - 1][position]
        if score is not None:
            (seen if position < learned else ahead).append(score)
    return TableCell(_mean(seen or ahead), len(seen), total)


def _baseline_cell(baselines: Sequence[RunRecord], metric: str, task: str) -> TableCell:
    scores = []
    for run in baselines:
        if run.status == OK and task in run.order:
            position = run.order.index(task)
            score = run.scores[metric][position][position]
            scores.append(run.scores[metric][-1][position] if score is None else score)
    values = [s for s in scores if s is not None]
    return TableCell(_mean(values), len(values), len(values))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return fmean(known) if known else None

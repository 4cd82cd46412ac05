"""The lifelong table: the score of each task after one, two and more tasks learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from lcbench.analysis.run_scores import alone_score
from lcbench.records.record import OK, RunRecord
from lcbench.registry.names import natural_key


@dataclass(frozen=True, slots=True)
class TableCell:
    """The mean score of a task over the `count` of `total` runs that had learned it by then.

    If no run had learned it yet, `count` is 0, and the mean is over the runs that scored it all the same.
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
    changes: Mapping[tuple[str, int], float]

    def average(self, column: int) -> float | None:
        """The mean over the tasks learned by then; at 0 that of the baseline over all tasks."""
        return _mean([cell.mean for (_, c), cell in self.cells.items() if c == column and cell.count])

    def gain(self, column: int) -> float | None:
        """The mean difference to the baseline over the tasks learned by then, each run against its own baseline."""
        return _mean([change for (_, c), change in self.changes.items() if c == column])


def group_runs(runs: Sequence[RunRecord]) -> dict[tuple[str, str], list[RunRecord]]:
    """The runs by (stream, method) as the user named them, in the order of their first run."""
    groups: dict[tuple[str, str], list[RunRecord]] = {}
    for run in runs:
        groups.setdefault((run.stream_label, run.label), []).append(run)
    return groups


def lifelong_table(runs: Sequence[RunRecord], metric: str, by_id: Mapping[str, RunRecord]) -> LifelongTable:
    """The table of one method on one stream, over its successful runs; `by_id` holds their baselines."""
    done = [run for run in runs if run.status == OK and metric in run.scores]
    tasks = _row_order(runs)
    steps = max((len(run.order) for run in done), default=0)
    baselines = [by_id[run.baseline] for run in done if run.baseline is not None and run.baseline in by_id]
    cells = {(task, m): _cell(done, metric, task, m) for task in tasks for m in range(1, steps + 1)}
    if baselines:
        cells |= {(task, 0): _baseline_cell(baselines, metric, task) for task in tasks}
    columns = tuple(range(0 if baselines else 1, steps + 1))
    label = baselines[0].label if baselines else None
    return LifelongTable(runs[0].label, metric, label, tasks, columns, cells, _changes(done, metric, by_id))


def _changes(runs: Sequence[RunRecord], metric: str, by_id: Mapping[str, RunRecord]) -> dict[tuple[str, int], float]:
    """(task, number of tasks learned) -> the mean difference of the runs that had learned it to their baselines."""
    pairs: dict[tuple[str, int], list[float]] = {}
    for run in runs:
        baseline = by_id.get(run.baseline or "")
        for j, task in enumerate(run.order):
            start = alone_score(baseline, metric, task)
            for i in range(j, len(run.order)):
                score = run.scores[metric][i][j]
                if score is not None and start is not None:
                    pairs.setdefault((task, i + 1), []).append(score - start)
    return {key: fmean(values) for key, values in pairs.items()}


def _row_order(runs: Sequence[RunRecord]) -> tuple[str, ...]:
    """The tasks in their order of arrival if all runs share it, else sorted by name (`task-2` before `task-10`)."""
    tasks = dict.fromkeys(task for run in runs for task in run.order)
    if all(run.order == runs[0].order for run in runs):
        return tuple(tasks)
    return tuple(sorted(tasks, key=natural_key))


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
    values = [score for run in baselines if (score := alone_score(run, metric, task)) is not None]
    return TableCell(_mean(values), len(values), len(values))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return fmean(known) if known else None

"""The lifelong table of one order: the score of each task after one, two and more tasks.

Over several orders the tasks of a column are other ones in every run, so that its mean says nothing: see the curves of
`analysis/transfer.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from lcbench.analysis.run_scores import alone_score, solo_scores
from lcbench.analysis.selection import grouped
from lcbench.analysis.statistics import interval
from lcbench.analysis.transfer import direction
from lcbench.contract.specs import Setting
from lcbench.records.record import OK, RunRecord

MOST_COLOURED = 60  # tasks of a stream; with more, an interval for each of their cells takes long


@dataclass(frozen=True, slots=True)
class TableCell:
    """The mean score of a task over the runs; `learned` is False if it was scored before it was learned.

    `change` says if the score of a run changed for the better or the worse since the task was learned, or, when it is
    learned, to what it is where the method learned it alone: `direction` of the interval over the runs. The first
    task to be learned has none then, as nothing came before it.
    """

    mean: float
    learned: bool
    change: str


@dataclass(frozen=True, slots=True)
class LifelongTable:
    """Rows are tasks, columns numbers of tasks learned. Column 0 is the single-task baseline, if there is one.

    `averages` are over the tasks learned by then, at 0 over all; `gains` are the differences of these tasks to the
    baseline.
    """

    label: str
    metric: str
    baseline: str | None
    tasks: tuple[str, ...]
    columns: tuple[int, ...]
    cells: Mapping[tuple[str, int], TableCell]
    averages: Mapping[int, float]
    gains: Mapping[int, float]


def group_runs(runs: Sequence[RunRecord]) -> dict[tuple[str, str], list[RunRecord]]:
    """The runs by (stream, method) as the user named them, in the order of their first run."""
    return grouped(((run.stream_label, run.label), run) for run in runs)


def have_one_order(runs: Sequence[RunRecord]) -> bool:
    """True if all runs learn the tasks in the same order, so that they have a lifelong table."""
    return len({run.order for run in runs}) == 1


def lifelong_table(runs: Sequence[RunRecord], metric: str, by_id: Mapping[str, RunRecord]) -> LifelongTable:
    """The table of runs of one method in one order, over those that succeeded; `by_id` has baselines and solo runs."""
    done = [run for run in runs if run.status == OK and metric in run.scores]
    tasks = runs[0].order
    baselines = [by_id[run.baseline] for run in done if run.baseline is not None and run.baseline in by_id]
    cells: dict[tuple[str, int], TableCell] = {}
    for j, task in enumerate(tasks):
        starts = [score for run in baselines if (score := alone_score(run, metric, task)) is not None]
        if starts:
            cells[task, 0] = TableCell(fmean(starts), True, "")
        for i in range(len(tasks)):
            scores = [score for run in done if (score := run.scores[metric][i][j]) is not None]
            if scores:
                change = _change(done, metric, by_id, i, j) if i >= j else ""
                cells[task, i + 1] = TableCell(fmean(scores), i >= j, change)
    columns = tuple(range(0 if baselines else 1, len(tasks) + 1))
    known = {column: [task for task in tasks if _is_learned(cells.get((task, column)))] for column in columns}
    averages = {column: fmean(cells[task, column].mean for task in there) for column, there in known.items() if there}
    gains = {
        column: fmean(cells[task, column].mean - cells[task, 0].mean for task in there)
        for column, there in known.items()
        if column and there and all((task, 0) in cells for task in there)
    }
    label = baselines[0].label if baselines else None
    return LifelongTable(runs[0].label, metric, label, tasks, columns, cells, averages, gains)


def _is_learned(cell: TableCell | None) -> bool:
    return cell is not None and cell.learned


def _change(runs: Sequence[RunRecord], metric: str, by_id: Mapping[str, RunRecord], i: int, j: int) -> str:
    """The direction of the paired change of a cell: since its task was learned, or then to the task alone."""
    if runs[0].setting == Setting.SINGLE_TASK.value or i == 0 or len(runs[0].order) > MOST_COLOURED:
        return ""
    before: Callable[[RunRecord], float | None] = lambda run: run.scores[metric][j][j]  # noqa: E731
    if i == j:
        before = lambda run: (solo_scores(run, metric, by_id) or [None] * (j + 1))[j]  # noqa: E731
    changes = [
        score - start
        for run in runs
        if (score := run.scores[metric][i][j]) is not None and (start := before(run)) is not None
    ]
    return direction(interval([changes]), metric) if len(changes) == len(runs) > 1 else ""

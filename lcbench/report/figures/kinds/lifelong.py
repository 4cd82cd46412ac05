"""Builds the `lifelong` figure: the score of each task as more tasks are learned.

The figure of Sun et al., Lifelong Spectral Clustering, AAAI 2020. In one order the line of the task that is learned
p-th starts at the single-task baseline after p - 1 tasks (the first task has no such start) and goes on with R[i][p-1]
from p tasks on. Over several orders p differs from run to run: the line starts at the baseline before any task, and a
point is the mean over the runs that had learned the task by then, as in the table of `lcbench run`.
"""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.analysis.run_scores import alone_score
from lcbench.analysis.selection import MethodRuns, Selection, StreamRuns
from lcbench.printable import counted
from lcbench.records.record import RunRecord
from lcbench.report.figures.captions import failures, note, protocol, sentences
from lcbench.report.figures.chart import LEAST_WITH_BAND, Chart, LinePanel, Series
from lcbench.report.figures.kind import Kind
from lcbench.report.figures.series import (
    axis_label,
    is_named,
    is_single_task,
    mean_series,
    own_methods,
    shown,
    task_order,
    task_style,
)

MOST_COLUMNS = 3


def _charts(selection: Selection, metrics: Sequence[str], named: Sequence[str]) -> list[Chart | None]:
    """A figure per stream and method, with a panel per metric."""
    return [
        _chart(selection, stream, method, metrics)
        for stream in selection.streams
        for method in _lasting_methods(stream, named)
    ]


def _lasting_methods(stream: StreamRuns, named: Sequence[str]) -> list[MethodRuns]:
    """The methods that learn from task to task; single-task ones have flat lines, and are drawn if named or alone."""
    own = own_methods(stream, named)
    return [method for method in own if is_named(method, named) or not is_single_task(method)] or own


def _flat_methods(selection: Selection, named: Sequence[str]) -> list[str]:
    """Names the single-task methods that are left out, with the reason: a sentence per stream."""
    said = []
    for stream in selection.streams:
        drawn = _lasting_methods(stream, named)
        left_out = [method.label for method in own_methods(stream, named) if method not in drawn]
        if left_out:
            said.append(
                f"{stream.label}: single-task methods keep nothing from task to task, so their lines are flat and are "
                f"not drawn unless --method names them: {', '.join(left_out)}."
            )
    return said


KIND = Kind(
    "lifelong",
    "each task's performance as more tasks are learned",
    per="stream and method",
    build=_charts,
    notes=_flat_methods,
)


def _chart(selection: Selection, stream: StreamRuns, method: MethodRuns, metrics: Sequence[str]) -> Chart | None:
    runs = method.done
    tasks = task_order(runs, stream.tasks)
    ticks = tuple(range(0 if len({run.order for run in runs}) > 1 else 1, len(tasks) + 1))
    panels = []
    for metric in metrics:
        lines = [_line(selection, runs, task, metric, task_style(stream, task)) for task in tasks]
        series = tuple(line for line in lines if line.x)
        if series:
            panels.append(LinePanel(metric, "tasks learned", axis_label(metric), series, ticks=ticks, weighed=True))
    if not panels:
        return None
    return Chart(
        about=(stream.label, method.label),
        title=f"{method.label} on {stream.label}: each task as more are learned",
        subtitle=protocol(runs),
        panels=tuple(panels),
        columns=min(len(panels), MOST_COLUMNS),
        caption=sentences(_starts(selection, runs), _meaning(runs), note(method), failures([method])),
    )


def _line(selection: Selection, runs: Sequence[RunRecord], task: str, metric: str, style: int | None) -> Series:
    """The line of a task: the score of the baseline, then the mean over the runs that had learned the task by then."""
    several = len({run.order for run in runs}) > 1
    starts: list[float] = []
    seen: dict[int, list[float]] = {}
    place = 0
    for run in runs:
        if task not in run.order or metric not in run.scores:
            continue
        j = run.order.index(task)
        place = 0 if several else j
        start = alone_score(selection.baseline_of(run), metric, task)
        if start is not None and (several or j > 0):
            starts.append(shown(metric, start))
        for i in range(j, len(run.order)):
            score = run.scores[metric][i][j]
            if score is not None:
                seen.setdefault(i + 1, []).append(shown(metric, score))
    first = [(place, starts)] if starts else []
    return mean_series(task, [*first, *sorted(seen.items())], hollow=len(first), style=style)


def _starts(selection: Selection, runs: Sequence[RunRecord]) -> str:
    """The sentence of the caption on the hollow points, those of the single-task baseline."""
    labels = list(dict.fromkeys(b.label for run in runs if (b := selection.baseline_of(run)) is not None))
    if not labels:
        return ""
    several = len({run.order for run in runs}) > 1
    where = "" if several else ", one step before it is learned"
    return f"Hollow: the task alone, by {' or '.join(labels)}{where}"


def _meaning(runs: Sequence[RunRecord]) -> str:
    """The sentence of the caption on means and bands; empty for a single run."""
    orders = len({run.order for run in runs})
    if len(runs) == 1:
        return ""
    said = f"Lines are means over the repeats, of {counted(len(runs), 'run')}"
    if orders > 1:
        said = (
            "Lines are means: a point at m tasks is over the runs that had learned the task by then, of "
            f"{counted(len(runs), 'run')}, so early points are over fewer runs (the smaller the marker, the fewer)"
        )
    if len(runs) < LEAST_WITH_BAND:
        return said
    where = f", where there are {LEAST_WITH_BAND} runs or more," if orders > 1 else ""
    return f"{said}; bands{where} are ± one standard deviation"

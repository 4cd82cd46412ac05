"""Builds the `lifelong` figure: each task as more are learned; what other tasks bring.

In one order it is the figure of Sun et al., Lifelong Spectral Clustering, AAAI 2020: the line of the task that is
learned p-th starts at the single-task baseline after p - 1 tasks (the first task has no such start) and goes on with
R[i][p-1] from p tasks on. Over several orders other tasks arrive at each step of each run, and their mean would say
nothing: there the figure has the two curves of `analysis/transfer.py`, whose points are all over the same runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lcbench.analysis.compare import CONFIDENCE
from lcbench.analysis.lifelong_table import have_one_order
from lcbench.analysis.run_scores import alone_score
from lcbench.analysis.selection import MethodRuns, Selection, StreamRuns
from lcbench.analysis.statistics import Interval
from lcbench.analysis.transfer import Curves, curves_of
from lcbench.printable import counted
from lcbench.records.record import RunRecord
from lcbench.registry.metrics import with_unit
from lcbench.report.figures.captions import each_protocol, failures, note, protocol, sentences
from lcbench.report.figures.chart import Chart, LinePanel, Series
from lcbench.report.figures.kind import Kind
from lcbench.report.figures.series import difference_unit, is_named, mean_series, own_methods, shown

MOST_COLUMNS = 3
DIGITS = 9  # of a difference in percent: what is left beyond them is rounding


def _charts(selection: Selection, metrics: Sequence[str], named: Sequence[str]) -> Iterator[Chart | None]:
    """A figure per stream and method, with a panel per metric; over several orders one per stream."""
    for stream in selection.streams:
        methods = _lasting_methods(stream, named)
        if have_one_order([run for method in methods for run in method.done]):
            for method in methods:
                yield _chart(selection, stream, method, metrics)
        else:
            yield _paired_chart(selection, stream, methods, metrics)


def _lasting_methods(stream: StreamRuns, named: Sequence[str]) -> list[MethodRuns]:
    """The methods that learn from task to task; single-task ones have flat lines, and are drawn if named or alone."""
    own = own_methods(stream, named)
    return [method for method in own if is_named(method, named) or not method.is_single_task] or own


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
    "each task as more are learned; over several orders, what other tasks bring",
    per="stream and method, or per stream",
    build=_charts,
    notes=_flat_methods,
)


def _chart(selection: Selection, stream: StreamRuns, method: MethodRuns, metrics: Sequence[str]) -> Chart | None:
    """The figure of one method in one order: a line per task."""
    runs = method.done
    tasks = runs[0].order
    panels = []
    for metric in metrics:
        lines = [_line(selection, runs, j, metric, stream.tasks.index(task)) for j, task in enumerate(tasks)]
        series = tuple(line for line in lines if line.x)
        if series:
            ticks = tuple(range(1, len(tasks) + 1))
            panels.append(LinePanel(metric, "tasks learned", with_unit(metric), series, ticks=ticks))
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


def _line(selection: Selection, runs: Sequence[RunRecord], j: int, metric: str, style: int) -> Series:
    """The line of the j-th task: the score of the baseline, then the means over the runs."""
    task = runs[0].order[j]
    starts: list[tuple[int, float]] = []
    points: list[tuple[int, float]] = []
    for run in runs:
        if metric not in run.scores:
            continue
        start = alone_score(selection.baseline_of(run), metric, task)
        if start is not None and j > 0:
            starts.append((j, shown(metric, start)))
        for i in range(j, len(run.order)):
            score = run.scores[metric][i][j]
            if score is not None:
                points.append((i + 1, shown(metric, score)))
    return mean_series(task, [*starts, *points], hollow=1 if starts else 0, style=style)


def _starts(selection: Selection, runs: Sequence[RunRecord]) -> str:
    """The sentence of the caption on the hollow points, those of the single-task baseline."""
    labels = list(dict.fromkeys(b.label for run in runs if (b := selection.baseline_of(run)) is not None))
    return f"Hollow: the task by {' or '.join(labels)}, one step before it is learned" if labels else ""


def _meaning(runs: Sequence[RunRecord]) -> str:
    """The sentence of the caption on means and bands; empty for a single run."""
    if len(runs) == 1:
        return ""
    return f"Lines are means over the repeats, of {counted(len(runs), 'run')}; bands are ± one standard deviation"


def _paired_chart(
    selection: Selection, stream: StreamRuns, methods: Sequence[MethodRuns], metrics: Sequence[str]
) -> Chart | None:
    """The figure of several orders: two panels per metric, a line per method."""
    panels: list[LinePanel] = []
    for metric in metrics:
        found = {method.label: curves_of(method, selection, metric, CONFIDENCE) for method in methods}
        panels += _panels(metric, found)
    if not panels:
        return None
    return Chart(
        about=(stream.label,),
        title=f"{stream.label}: what other tasks bring",
        subtitle=each_protocol(methods),
        panels=tuple(panels),
        columns=min(2, len(panels)),
        caption=sentences(
            "By arrival: the score of a task when it is learned minus that of the same method alone, against how many "
            "tasks were known before",
            "Since arrival: its score minus that when it was learned, against how many were learned since",
            f"Points are means of these differences over the same runs; bands are {100 * CONFIDENCE:g} % intervals",
            *map(note, methods),
            failures(methods),
        ),
    )


def _panels(metric: str, found: dict[str, Curves]) -> Iterator[LinePanel]:
    sides = (
        ("by arrival", "tasks known before", {label: curves.by_arrival for label, curves in found.items()}),
        ("since arrival", "tasks learned since", {label: curves.since_arrival for label, curves in found.items()}),
    )
    for side, across, curves in sides:
        series = tuple(
            _paired_line(label, metric, i, points) for i, (label, points) in enumerate(curves.items()) if points
        )
        if series:
            ticks = tuple(range(max(len(line.x) for line in series)))
            unit = difference_unit(metric)
            yield LinePanel(f"{metric} {side}", across, unit, series, ticks=ticks, zero=True)


def _paired_line(label: str, metric: str, style: int, points: Sequence[Interval]) -> Series:
    means = tuple(_difference(metric, point.mean) for point in points)
    known = [(point.low, point.high) for point in points if point.low is not None and point.high is not None]
    band = tuple((_difference(metric, low), _difference(metric, high)) for low, high in known)
    places, deviations = tuple(map(float, range(len(points)))), (0.0,) * len(points)
    return Series(label, places, means, deviations, style=style, band=band if len(band) == len(points) else ())


def _difference(metric: str, value: float) -> float:
    """A difference of scores as figures show it: zero if it is but rounding, for axes that begin and end with it."""
    return round(shown(metric, value), DIGITS)

"""Builds the `convergence` figure: how far the objective has to go, per iteration.

The level of an objective depends on the task, on those learned before and on the method, so that levels cannot be
compared. With f_i the objective at iteration i of n, the line is (f_i - f_n) / (f_1 - f_n): it starts at 1 and ends at
0 for every task, whether the objective falls or rises. A figure shows one order: the stream's own if there are runs in
it. Over repeats a line is the mean, and a run that has stopped stays at 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.analysis.selection import MethodRuns, Selection, StreamRuns
from lcbench.printable import counted
from lcbench.records.record import RunRecord
from lcbench.report.figures.captions import failures, protocol, seeds, sentences
from lcbench.report.figures.chart import Chart, LinePanel, Series, fitting_scale
from lcbench.report.figures.kind import Kind
from lcbench.report.figures.series import mean_series, own_methods


def _charts(selection: Selection, metrics: Sequence[str], named: Sequence[str]) -> list[Chart | None]:
    """A figure per stream and method that recorded an objective, with a line per task."""
    return [_chart(stream, method) for stream in selection.streams for method in own_methods(stream, named)]


KIND = Kind(
    "convergence",
    "how far the objective still has to go at each iteration, for each task",
    per="stream and method",
    build=_charts,
    lacking="none of these methods records its objective ('lcbench list methods' names others)",
)


def _chart(stream: StreamRuns, method: MethodRuns) -> Chart | None:
    orders = sorted({run.order for run in method.done}, key=lambda order: (order != stream.tasks, order))
    runs = [run for run in method.done if run.order == orders[0]]
    series = tuple(line for task in orders[0] if (line := _line(stream, runs, task)).x)
    if not series:
        return None
    scale = fitting_scale(tuple(y for line in series for y in line.y))
    panel = LinePanel("", "iteration", "change still to come", series, y_scale=scale)
    means = (
        "Lines are means over the repeats, which stay at 0 once they have stopped; bands are ± one standard deviation"
    )
    return Chart(
        about=(stream.label, method.label),
        title=f"{method.label} on {stream.label}: convergence of the objective as each task is learned",
        subtitle=protocol(runs) if len(orders) == 1 else _one_of(orders, runs),
        panels=(panel,),
        caption=sentences(
            "The objective at an iteration minus its last value, as a share of the first minus the last: 1 at the "
            "first iteration, 0 at the last",
            means if len(runs) > 1 else "",
            failures([method]),
        ),
    )


def _one_of(orders: Sequence[tuple[str, ...]], runs: Sequence[RunRecord]) -> str:
    """The subtitle where only one of several orders is drawn."""
    repeats = f", {counted(len(runs), 'run')}" if len(runs) > 1 else ""
    return f"one of {len(orders)} orders, as the legend has it{repeats}, {seeds(runs)}"


def _line(stream: StreamRuns, runs: Sequence[RunRecord], task: str) -> Series:
    traces = [trace for run in runs if (trace := _trace(run, run.order.index(task)))]
    longest = max(map(len, traces), default=0)
    points = ((i + 1, trace[min(i, len(trace) - 1)]) for i in range(longest) for trace in traces)
    return mean_series(task, points, style=stream.tasks.index(task))


def _trace(run: RunRecord, step: int) -> list[float]:
    """The share of the objective's change still to come at each iteration while one task was learned.

    Values that are missing are left out; an objective that ends where it began has no change to come.
    """
    trace = run.objective_trace[step] if step < len(run.objective_trace) else None
    values = [value for value in trace or () if value is not None]
    change = values[0] - values[-1] if values else 0.0
    return [(value - values[-1]) / change if change else 0.0 for value in values]

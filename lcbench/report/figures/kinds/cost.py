"""Builds the `cost` figure: seconds to learn each task, and memory kept after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lcbench.analysis.selection import MethodRuns, Selection, StreamRuns
from lcbench.records.record import RunRecord
from lcbench.report.figures.captions import each_protocol, failures, sentences
from lcbench.report.figures.chart import Chart, LinePanel, Series, fitting_scale
from lcbench.report.figures.kind import Kind
from lcbench.report.figures.series import mean_series

_UNITS = ((1e8, 1e6, "MB"), (1e4, 1e3, "kB"))  # the least size in bytes that is shown so, and the bytes of one unit


def _charts(selection: Selection, metrics: Sequence[str], named: Sequence[str]) -> list[Chart]:
    """A figure per stream: seconds on the left, the size of what is kept on the right, a line per method."""
    return [_chart(stream) for stream in selection.done]


KIND = Kind("cost", "seconds to learn one more task, and the size of what is kept", per="stream", build=_charts)


def _chart(stream: StreamRuns) -> Chart:
    methods = stream.done
    largest = max((size for method in methods for run in method.done for size in run.state_bytes), default=0)
    scale, unit = next(((scale, unit) for least, scale, unit in _UNITS if largest >= least), (1, "bytes"))
    panels = (
        _panel(methods, "time to learn the newest task", "seconds", lambda run: run.learn_seconds),
        _panel(methods, "size of what is kept", unit, lambda run: [size / scale for size in run.state_bytes]),
    )
    return Chart(
        about=(stream.label,),
        title=f"Time and memory as the tasks of {stream.label} arrive",
        subtitle=each_protocol(methods),
        panels=panels,
        columns=len(panels),
        caption=sentences(
            "Means over runs; bands are ± one standard deviation" if any(len(m.done) > 1 for m in methods) else "",
            failures(stream.methods),
        ),
    )


def _panel(
    methods: Sequence[MethodRuns], title: str, unit: str, values_of: Callable[[RunRecord], Sequence[float]]
) -> LinePanel:
    series = tuple(_line(method, values_of) for method in methods)
    y_scale = fitting_scale(tuple(y for line in series for y in line.y))
    ticks = tuple(sorted({x for line in series for x in line.x}))
    return LinePanel(title, "tasks learned", unit, series, y_scale=y_scale, ticks=ticks)


def _line(method: MethodRuns, values_of: Callable[[RunRecord], Sequence[float]]) -> Series:
    return mean_series(method.label, (point for run in method.done for point in enumerate(values_of(run), start=1)))

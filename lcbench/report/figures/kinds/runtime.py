"""Builds the `runtime` figure: the seconds each method spends learning a stream."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.analysis.selection import Selection, StreamRuns
from lcbench.report.figures.captions import each_protocol, failures, sentences
from lcbench.report.figures.chart import Chart, DotPanel, fitting_scale
from lcbench.report.figures.kind import Kind
from lcbench.report.figures.series import dots


def _charts(selection: Selection, metrics: Sequence[str], named: Sequence[str]) -> list[Chart]:
    """A figure per stream, with a row per method."""
    return [_chart(stream) for stream in selection.done]


KIND = Kind("runtime", "seconds of learning, for each method", per="stream", build=_charts)


def _chart(stream: StreamRuns) -> Chart:
    methods = stream.done
    rows = tuple(dots(method.label, (sum(run.learn_seconds) for run in method.done)) for method in methods)
    scale = fitting_scale(tuple(value for row in rows for value in row.values))
    tuned = any(run.choice is not None for method in methods for run in method.done)
    return Chart(
        about=(stream.label,),
        title=f"Time to learn all {len(stream.tasks)} tasks of {stream.label}",
        subtitle=each_protocol(methods),
        panels=(DotPanel("", "seconds of learning" + (" (log)" if scale != "linear" else ""), rows, scale),),
        caption=sentences(
            "A small dot is a run, the large one the mean, the bar ± one standard deviation"
            if any(len(row.values) > 1 for row in rows)
            else "",
            "Time to predict is not in it" + (", nor is the search of a tuned method" if tuned else ""),
            failures(stream.methods),
        ),
    )

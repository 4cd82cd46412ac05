"""`ranks`: the critical-difference diagram over several streams.

Demšar, Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006: methods whose mean ranks differ by
no more than Nemenyi's critical difference are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from lcbench.errors import ParameterError
from lcbench.printable import counted
from lcbench.report import numbers
from lcbench.report.figures.chart import Chart, RankPanel
from lcbench.report.figures.values import failures, final_average, runs_each, seeds, sentences, streams_with_runs
from lcbench.report.selection import Selection, StreamRuns
from lcbench.statistics.ranks import LEAST_STREAMS, common_methods, critical_difference, friedman, mean_ranks

ALPHA = 0.05


def charts(selection: Selection, metrics: Sequence[str], named: Sequence[str] = ()) -> list[Chart]:
    """One figure over all streams, with a panel per metric; refused below five streams."""
    streams = streams_with_runs(selection)
    if len(streams) < LEAST_STREAMS:
        raise ParameterError(
            f"There are runs on {counted(len(streams), 'stream')}, and mean ranks say something from {LEAST_STREAMS} "
            "streams on: run the same methods on more ('lcbench list streams' names them)."
        )
    tables = {metric: {stream.label: _averages(stream, metric) for stream in streams} for metric in metrics}
    panels = [panel for metric, table in tables.items() if (panel := _panel(metric, table)) is not None]
    if not panels:
        raise ParameterError(
            f"No two methods were run on all {len(streams)} streams, and only such can be ranked: run them on all, or "
            "choose streams with --stream."
        )
    methods = [method for stream in streams for method in stream.methods if method.done]
    out = {method.label for method in methods} - {name for panel in panels for name, _ in panel.ranks}
    return [
        Chart(
            about=("ranks", f"{len(streams)} streams"),
            title=f"Mean ranks over {len(streams)} streams",
            subtitle=f"{runs_each(methods)} and stream, {seeds([run for method in methods for run in method.done])}",
            panels=tuple(panels),
            caption=sentences(
                "Ranks of the averages over tasks after all were learned, means over runs; 1 is best",
                f"Methods joined by a bar do not differ at level {ALPHA} (Nemenyi)",
                f"Left out, for they were not run on all streams: {', '.join(sorted(out))}" if out else "",
                failures(method for stream in streams for method in stream.methods),
            ),
        )
    ]


def _averages(stream: StreamRuns, metric: str) -> dict[str, float]:
    found = {}
    for method in stream.methods:
        values = [value for run in method.done if (value := final_average(run, metric)) is not None]
        if values:
            found[method.label] = fmean(values)
    return found


def _panel(metric: str, table: dict[str, dict[str, float]]) -> RankPanel | None:
    if len(common_methods(table)) < 2:
        return None
    spec = numbers.metric_spec(metric)
    ranks = mean_ranks(table, greater_is_better=spec is None or spec.greater_is_better)
    ordered = tuple(sorted(ranks.items(), key=lambda pair: (pair[1], pair[0])))
    test = friedman(table)
    difference = critical_difference(len(ordered), len(table), ALPHA)
    title = f"{metric}: Friedman χ² = {test.statistic:.2f}, p = {test.p_value:.2g}"
    return RankPanel(title, ordered, difference, joined([rank for _, rank in ordered], difference))


def joined(ranks: Sequence[float], difference: float) -> tuple[tuple[int, int], ...]:
    """The longest stretches (first, last) of sorted ranks within `difference`, each of two or more."""
    found: list[tuple[int, int]] = []
    for start, rank in enumerate(ranks):
        end = max(i for i in range(start, len(ranks)) if ranks[i] - rank <= difference)
        if end > start and (not found or end > found[-1][1]):
            found.append((start, end))
    return tuple(found)

"""Builds the `ranks` figure: the critical-difference diagram over several streams.

The ranks are those that `lcbench compare` shows.

Demšar, Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006: methods whose mean ranks differ by
no more than Nemenyi's critical difference are joined.
"""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.analysis.compare import Ranking, compare_methods
from lcbench.analysis.selection import Selection
from lcbench.analysis.statistics import LEAST_STREAMS
from lcbench.errors import ParameterError
from lcbench.printable import counted
from lcbench.report.figures.captions import failures, runs_each, seeds, sentences
from lcbench.report.figures.chart import Chart, RankPanel
from lcbench.report.figures.kind import Kind


def _charts(selection: Selection, metrics: Sequence[str], named: Sequence[str]) -> list[Chart]:
    """One figure over all streams, with a panel per metric; refused below five streams."""
    streams = selection.done
    _demand_enough(len(streams))
    rankings = compare_methods(selection, metrics).rankings
    if not rankings:
        raise ParameterError(
            f"No two methods were run on all {len(streams)} streams, and only such can be ranked: run them on all, or "
            "choose streams with --stream."
        )
    most = max(ranking.streams for ranking in rankings)
    _demand_enough(most)
    methods = [method for stream in streams for method in stream.done]
    out = {label for ranking in rankings for label in ranking.left_out}
    return [
        Chart(
            about=(f"{most} streams",),
            title=f"Mean ranks over {most} streams",
            subtitle=f"{runs_each(methods)} and stream, {seeds([run for method in methods for run in method.done])}",
            panels=tuple(panel for ranking in rankings if (panel := _panel(ranking, most)) is not None),
            caption=sentences(
                "Ranks of the averages over tasks after all were learned, means over runs; 1 is best",
                "Methods joined by a bar do not differ significantly at level 0.05 (Nemenyi)",
                f"Left out, for with the same parameters they were not run on all streams: {', '.join(sorted(out))}"
                if out
                else "",
                failures(method for stream in streams for method in stream.methods),
            ),
        )
    ]


KIND = Kind(
    "ranks", "the critical-difference diagram over five streams or more", per="five streams or more", build=_charts
)


def joined(ranks: Sequence[float], difference: float) -> tuple[tuple[int, int], ...]:
    """Finds the longest runs of sorted ranks that lie within `difference`: (first, last) place of each, two or more."""
    found: list[tuple[int, int]] = []
    for start, rank in enumerate(ranks):
        end = max(i for i in range(start, len(ranks)) if ranks[i] - rank <= difference)
        if end > start and (not found or end > found[-1][1]):
            found.append((start, end))
    return tuple(found)


def _demand_enough(streams: int) -> None:
    """Refuses fewer streams than a ranking needs."""
    if streams < LEAST_STREAMS:
        raise ParameterError(
            f"There are runs on {counted(streams, 'stream')}, and mean ranks say something from {LEAST_STREAMS} "
            "streams on: run the same methods on more ('lcbench list streams' names them)."
        )


def _panel(ranking: Ranking, most: int) -> RankPanel | None:
    """The diagram of a metric; None if too few streams have scores by it."""
    if ranking.friedman is None or ranking.critical_difference is None:
        return None
    ordered = tuple(sorted(ranking.ranks.items(), key=lambda pair: (pair[1], pair[0])))
    over = f" over {ranking.streams} streams" if ranking.streams < most else ""
    statistic, p_value = ranking.friedman
    title = f"{ranking.metric}{over}: Friedman χ² = {statistic:.2f}, p = {p_value:.2g}"
    groups = joined([rank for _, rank in ordered], ranking.critical_difference)
    return RankPanel(title, ordered, ranking.critical_difference, groups)

"""All tables of a comparison in order: scores, figures, differences, ranks."""

from __future__ import annotations

from dataclasses import replace

from lcbench.analysis.compare import MethodComparison
from lcbench.report.comparison.differences import difference_sheets
from lcbench.report.comparison.lifelong_figures import figure_sheet
from lcbench.report.comparison.ranks import rank_sheet
from lcbench.report.comparison.scores import score_sheets
from lcbench.report.sheets.sheet import Sheet


def comparison_sheets(comparison: MethodComparison) -> list[Sheet]:
    """The tables of a comparison: scores, figures and differences of each stream, then the ranks."""
    made: list[Sheet] = []
    for stream in comparison.streams:
        metrics = stream.scored_by(comparison.metrics)
        made += score_sheets(stream, metrics, comparison.at)
        made += figure_sheet(stream, metrics[0]) if metrics else []
        if comparison.against is not None:
            made += difference_sheets(stream, metrics, comparison.against, comparison.confidence)
    made += rank_sheet(comparison.rankings, comparison.streams)
    if made and comparison.notes:
        made[0] = replace(made[0], notes=(*made[0].notes, *comparison.notes))
    return made

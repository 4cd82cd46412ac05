"""The table of mean ranks of methods over streams, with Friedman's test."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.analysis.compare import ComparedStream, Ranking
from lcbench.analysis.statistics import LEAST_STREAMS
from lcbench.printable import counted
from lcbench.report.comparison.notes import p_text
from lcbench.report.numbers import MISSING
from lcbench.report.sheets.sheet import Cell, Sheet


def rank_sheet(rankings: Sequence[Ranking], streams: Sequence[ComparedStream]) -> list[Sheet]:
    """A table with a row per method, best first, and a column per metric; empty list for one stream."""
    if len(streams) < 2:
        return []
    if not rankings:
        note = "No two methods have runs that ended well on all streams, so there are no ranks."
        return [Sheet("Ranks over streams", ("method",), (), 1, (), (note,))]
    labels = sorted(
        dict.fromkeys(label for ranking in rankings for label in ranking.ranks),
        key=lambda label: rankings[0].ranks.get(label, float("inf")),
    )
    rows = tuple((Cell(label), *(_cell(ranking, label) for ranking in rankings)) for label in labels)
    most = max(ranking.streams for ranking in rankings)
    title = f"Mean ranks over {counted(most, 'stream')}, 1 is the best"
    header = ("method", *(f"{r.metric} ({r.streams})" if r.streams < most else r.metric for r in rankings))
    return [Sheet(title, header, rows, 1, (), tuple(_notes(rankings)))]


def _cell(ranking: Ranking, label: str) -> Cell:
    found = ranking.ranks.get(label)
    if found is None:
        return Cell(MISSING, tone="dim")
    return Cell(f"{found:.2f}", bold=round(found, 2) == round(min(ranking.ranks.values()), 2))


def _notes(rankings: Sequence[Ranking]) -> list[str]:
    counts = {ranking.streams for ranking in rankings}
    notes = ["In brackets: over so many streams, as the others have no such scores."] if len(counts) > 1 else []
    left_out = dict.fromkeys(label for ranking in rankings for label in ranking.left_out)
    if left_out:
        notes.append(
            f"Left out, as they have not ended well on all streams with the same parameters: {', '.join(left_out)}."
        )
    for ranking in rankings:
        if ranking.friedman is not None and ranking.critical_difference is not None:
            notes.append(
                f"{ranking.metric}: Friedman chi-squared {ranking.friedman.statistic:.2f}, "
                f"p {p_text(ranking.friedman.p_value)}; mean ranks that differ by more than "
                f"{ranking.critical_difference:.2f} differ at the level 0.05 (Nemenyi)."
            )
    if any(ranking.friedman is None for ranking in rankings):
        notes.append(
            f"No Friedman test and no critical difference: with fewer than {LEAST_STREAMS} streams they would say next "
            "to nothing."
        )
    return notes

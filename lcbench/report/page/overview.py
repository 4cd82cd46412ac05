"""Who is best, in one small table per stream: the average over its tasks by every metric."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.report import numbers
from lcbench.report.compared import ComparedStream
from lcbench.report.tables.score_sheets import with_spread
from lcbench.report.tables.sheet import Cell, Sheet
from lcbench.scoring import greater_is_better

_UNPAIRED = "Not paired: the methods do not all have runs that ended well on the same orders and repeats."


def overview_sheets(streams: Sequence[ComparedStream], metrics: Sequence[str]) -> tuple[Sheet, ...]:
    """A table for each stream where a method has an average: a row per method, a column per metric."""
    sheets = [_sheet(stream, stream.scored_by(metrics)) for stream in streams]
    return tuple(sheet for sheet in sheets if sheet is not None)


def _sheet(stream: ComparedStream, metrics: Sequence[str]) -> Sheet | None:
    if not any(task is None for _, _, task in stream.scores):
        return None
    columns = [_column(stream, metric) for metric in metrics]
    rows = [(Cell(method.label), *cells) for method, *cells in zip(stream.methods, *columns, strict=True)]
    header = ("method", *(f"{metric} (%)" if numbers.is_percent(metric) else metric for metric in metrics))
    notes = () if stream.paired else (_UNPAIRED,)
    return Sheet(stream.label, header, tuple(rows), notes=notes)


def _column(stream: ComparedStream, metric: str) -> list[Cell]:
    """A cell per method; what is shown as the best mean is bold, if there is something to be better than."""
    spreads = [stream.scores.get((method.label, metric, None)) for method in stream.methods]
    means = [None if spread is None else float(numbers.score(metric, spread.mean)) for spread in spreads]
    known = [mean for mean in means if mean is not None]
    best = (max if greater_is_better(metric) else min)(known) if len(known) > 1 else None
    return [
        Cell(with_spread(metric, spread), bold=mean is not None and mean == best, tone="" if spread else "dim")
        for spread, mean in zip(spreads, means, strict=True)
    ]

"""Overview tables: scores, time and memory of each method on a stream, and on all streams."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.analysis.compare import ComparedStream, Ranking
from lcbench.analysis.run_scores import END
from lcbench.registry.metrics import with_unit
from lcbench.report import numbers
from lcbench.report.comparison.scores import runs_text, score_cells
from lcbench.report.sheets.sheet import Cell, Sheet

COSTS = ("seconds", "state")


def overview_sheet(stream: ComparedStream, metrics: Sequence[str]) -> Sheet:
    """A row per method: the average over tasks after all were learned by each metric, mean ± standard deviation."""
    columns = [score_cells(stream, metric, None) for metric in metrics]
    rows = tuple(
        (
            Cell(method.label),
            Cell(runs_text(stream, method, metrics)),
            *cells,
            Cell(numbers.seconds(method.learn_seconds)),
            Cell(numbers.size(method.state_bytes)),
        )
        for method, *cells in zip(stream.methods, *columns, strict=True)
    )
    header = ("method", "runs", *map(with_unit, metrics), *COSTS)
    return Sheet(
        f"{stream.label}: averages over tasks after all of them, seconds to learn",
        header,
        rows,
        1,
        give_way=("runs", *COSTS),
    )


def cross_stream_sheet(streams: Sequence[ComparedStream], metric: str, ranking: Ranking | None, at: str = END) -> Sheet:
    """A row per method, a column per stream: the average over tasks by one metric; with the mean ranks, if any."""
    labels = list(dict.fromkeys(method.label for stream in streams for method in stream.methods))
    columns = []
    for stream in streams:
        cells = dict(zip([m.label for m in stream.methods], score_cells(stream, metric, None), strict=True))
        columns.append([cells.get(label, Cell(numbers.MISSING, tone="dim")) for label in labels])
    header = ["method", *(stream.label for stream in streams)]
    if ranking is not None:
        ranks = [ranking.ranks.get(label) for label in labels]
        columns.append([Cell(numbers.MISSING if rank is None else f"{rank:.2f}") for rank in ranks])
        header.append("mean rank")
    rows = tuple((Cell(label), *cells) for label, *cells in zip(labels, *columns, strict=True))
    when = "after all tasks" if at == END else "when each task was learned"
    return Sheet(f"All streams: {with_unit(metric)} {when}", tuple(header), rows)

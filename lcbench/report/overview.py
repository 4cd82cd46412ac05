"""Overview tables: scores, time and memory of each method on a stream, and on all streams."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.analysis.compare import ComparedStream, Ranking
from lcbench.analysis.run_scores import END
from lcbench.registry.metrics import with_unit
from lcbench.report import numbers
from lcbench.report.comparison.scores import runs_text, score_cells
from lcbench.report.sheets.sheet import Sheet, text_sheet

COSTS = ("seconds", "state")


def overview_sheet(stream: ComparedStream, metrics: Sequence[str]) -> Sheet:
    """A row per method: the average over tasks after all were learned by each metric, mean ± standard deviation."""
    columns = [score_cells(stream, metric, None) for metric in metrics]
    costs = [(numbers.seconds(method.learn_seconds), numbers.size(method.state_bytes)) for method in stream.methods]
    rows = [
        (method.label, runs_text(stream, method, metrics), *cells, *cost)
        for method, cost, *cells in zip(stream.methods, costs, *columns, strict=True)
    ]
    header = ("method", "runs", *map(with_unit, metrics), *COSTS)
    title = f"{stream.label}: averages over tasks after all of them, seconds to learn"
    return text_sheet(title, header, rows, 1, give_way=("runs", *COSTS))


def cross_stream_sheet(streams: Sequence[ComparedStream], metric: str, ranking: Ranking | None, at: str = END) -> Sheet:
    """A row per method, a column per stream: the average over tasks by one metric; with the mean ranks, if any."""
    labels = list(dict.fromkeys(method.label for stream in streams for method in stream.methods))
    columns: list[list[object]] = []
    for stream in streams:
        cells = dict(zip([m.label for m in stream.methods], score_cells(stream, metric, None), strict=True))
        columns.append([cells.get(label, numbers.DASH) for label in labels])
    header = ["method", *(stream.label for stream in streams)]
    if ranking is not None:
        ranks = [ranking.ranks.get(label) for label in labels]
        columns.append([numbers.MISSING if rank is None else f"{rank:.2f}" for rank in ranks])
        header.append("mean rank")
    when = "after all tasks" if at == END else "when each task was learned"
    return text_sheet(f"All streams: {with_unit(metric)} {when}", header, zip(labels, *columns, strict=True), 1)

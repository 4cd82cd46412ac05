"""The raw numbers of comparisons and reproductions, as rows in long format for CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lcbench.records.formulas import FORMULAS
from lcbench.report.sheets.formats import RawRows

if TYPE_CHECKING:
    from lcbench.analysis.compare import ComparedMethod, ComparedStream, MethodComparison
    from lcbench.analysis.published.verdicts import Reproduced, ReproducedCell, ReproducedMethod
    from lcbench.analysis.run_scores import Spread

COLUMNS = ("stream", "method", "metric", "kind", "name", "mean", "sd", "runs", "failed")
AGAINST_COLUMNS = ("against", "difference", "low", "high", "pairs", "orders", "p", "p_holm", "flag")
REPRODUCED_COLUMNS = (
    "stream", "source", "table", "metric", "task", "own_task", "method", "run_as", "paper_mean", "paper_sd",
    "ours_mean", "ours_sd", "difference", "verdict", "runs", "failed", "mean_of_paper_rows",
)  # fmt: skip
TASK, AVERAGE, FIGURE = "task", "average", "figure"
_Row = dict[str, Any]


def comparison_rows(comparison: MethodComparison) -> RawRows:
    """A row per stream, method, metric and task, average or figure."""
    rows = (
        row
        for stream in comparison.streams
        for method in stream.methods
        for metric in comparison.metrics
        for row in _compared(stream, method, metric)
    )
    return RawRows((*COLUMNS, *(AGAINST_COLUMNS if comparison.against is not None else ())), rows)


def _compared(stream: ComparedStream, method: ComparedMethod, metric: str) -> Iterator[_Row]:
    about = {"stream": stream.label, "method": method.label, "metric": metric, "failed": sum(method.failed.values())}
    for task in (*stream.tasks, None):
        kind = {"kind": AVERAGE, "name": ""} if task is None else {"kind": TASK, "name": task}
        spread = stream.scores.get((method.label, metric, task))
        yield {**about, **kind, **_spread(spread), **_difference(stream, method, metric, task)}
    for formula in FORMULAS:
        spread = stream.figures.get((method.label, metric, formula.name))
        yield {**about, "kind": FIGURE, "name": formula.name, **_spread(spread)}


def _spread(spread: Spread | None) -> _Row:
    return {"runs": 0} if spread is None else {"mean": spread.mean, "sd": spread.sd, "runs": spread.count}


def _difference(stream: ComparedStream, method: ComparedMethod, metric: str, task: str | None) -> _Row:
    found = stream.differences.get((method.label, metric, task))
    if found is None:
        return {"against": stream.reference}
    return {
        "against": stream.reference, "difference": found.mean, "low": found.low, "high": found.high,
        "pairs": found.pairs, "orders": found.orders, "p": found.p_value, "p_holm": found.p_holm, "flag": found.flag,
    }  # fmt: skip


def reproduced_rows(reproduced: Reproduced) -> RawRows:
    """A row per method, metric and task, in percent as in the paper, then the seconds as a metric of their own."""
    return RawRows(REPRODUCED_COLUMNS, _reproduced(reproduced), quoted=False)


def _reproduced(reproduced: Reproduced) -> Iterator[_Row]:
    published = reproduced.published
    for method in reproduced.methods:
        about = {
            "stream": published.protocol.stream, "source": published.source, "table": published.table,
            "method": method.name, "run_as": method.label, "runs": method.done, "failed": sum(method.failed.values()),
        }  # fmt: skip
        for cell in method.cells:
            yield {**about, **_scores(cell), "own_task": published.tasks.get(cell.task)}
        if method.paper_seconds is not None and published.runtime is not None:
            yield {**about, **_seconds(method), "table": published.runtime.table}


def _scores(cell: ReproducedCell) -> _Row:
    return {
        "metric": cell.metric, "task": cell.task, "paper_mean": cell.paper.mean, "paper_sd": cell.paper.sd,
        "ours_mean": cell.ours and cell.ours.mean, "ours_sd": cell.ours and cell.ours.sd,
        "difference": cell.difference, "verdict": cell.verdict,
        "mean_of_paper_rows": cell.misprint and cell.misprint.recomputed,
    }  # fmt: skip


def _seconds(method: ReproducedMethod) -> _Row:
    paper, ours = method.paper_seconds, method.seconds
    return {
        "metric": "seconds", "paper_mean": paper and paper.mean, "paper_sd": paper and paper.sd,
        "ours_mean": ours and ours.mean, "ours_sd": ours and ours.sd,
    }  # fmt: skip

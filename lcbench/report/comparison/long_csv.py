"""Writes a comparison as CSV in long format, with raw numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from lcbench.analysis.compare import ComparedMethod, ComparedStream
from lcbench.analysis.run_scores import Spread
from lcbench.records.formulas import FORMULAS

COLUMNS = ("stream", "method", "metric", "kind", "name", "mean", "sd", "runs", "failed")
AGAINST_COLUMNS = ("against", "difference", "low", "high", "pairs", "orders", "p", "p_holm", "flag")
TASK, AVERAGE, FIGURE = "task", "average", "figure"


def csv_text(streams: Sequence[ComparedStream], metrics: Sequence[str], *, against: bool) -> str:
    """A line of column names, then a line per stream, method, metric and task, average or figure."""
    text = io.StringIO()
    columns = (*COLUMNS, *(AGAINST_COLUMNS if against else ()))
    writer = csv.DictWriter(text, columns, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC, extrasaction="ignore")
    writer.writeheader()
    for stream in streams:
        for method in stream.methods:
            for metric in metrics:
                writer.writerows(_rows(stream, method, metric))
    return text.getvalue()


def _rows(stream: ComparedStream, method: ComparedMethod, metric: str) -> Iterator[dict[str, Any]]:
    about = {"stream": stream.label, "method": method.label, "metric": metric, "failed": sum(method.failed.values())}
    for task in (*stream.tasks, None):
        kind = {"kind": AVERAGE, "name": ""} if task is None else {"kind": TASK, "name": task}
        spread = stream.scores.get((method.label, metric, task))
        yield {**about, **kind, **_numbers(spread), **_difference(stream, method, metric, task)}
    for formula in FORMULAS:
        spread = stream.figures.get((method.label, metric, formula.name))
        yield {**about, "kind": FIGURE, "name": formula.name, **_numbers(spread)}


def _numbers(spread: Spread | None) -> dict[str, Any]:
    return {"runs": 0} if spread is None else {"mean": spread.mean, "sd": spread.sd, "runs": spread.count}


def _difference(stream: ComparedStream, method: ComparedMethod, metric: str, task: str | None) -> dict[str, Any]:
    found = stream.differences.get((method.label, metric, task))
    if found is None:
        return {"against": stream.reference}
    return {
        "against": stream.reference, "difference": found.mean, "low": found.low, "high": found.high,
        "pairs": found.pairs, "orders": found.orders, "p": found.p_value, "p_holm": found.p_holm, "flag": found.flag,
    }  # fmt: skip

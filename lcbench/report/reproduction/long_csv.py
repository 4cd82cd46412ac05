"""Writes a reproduced table as CSV in long format, with raw numbers."""

from __future__ import annotations

import csv
import io
from typing import Any

from lcbench.analysis.published.verdicts import Reproduced, ReproducedCell, ReproducedMethod

COLUMNS = (
    "stream", "source", "table", "metric", "task", "own_task", "method", "run_as", "paper_mean", "paper_sd",
    "ours_mean", "ours_sd", "difference", "verdict", "runs", "failed", "mean_of_paper_rows",
)  # fmt: skip


def long_csv(reproduced: Reproduced) -> str:
    """A row per method, metric and task, in percent as in the paper, then the seconds as a metric of their own."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for method in reproduced.methods:
        for cell in method.cells:
            writer.writerow({**_about(reproduced, method), **_scores(reproduced, cell)})
        if method.paper_seconds is not None:
            writer.writerow({**_about(reproduced, method), **_seconds(reproduced, method)})
    return text.getvalue()


def _about(reproduced: Reproduced, method: ReproducedMethod) -> dict[str, Any]:
    published = reproduced.published
    return {
        "stream": published.protocol.stream, "source": published.source, "table": published.table,
        "method": method.name, "run_as": method.label, "runs": method.done, "failed": sum(method.failed.values()),
    }  # fmt: skip


def _scores(reproduced: Reproduced, cell: ReproducedCell) -> dict[str, Any]:
    return {
        "metric": cell.metric, "task": cell.task, "own_task": reproduced.published.tasks.get(cell.task),
        "paper_mean": cell.paper.mean, "paper_sd": cell.paper.sd,
        "ours_mean": cell.ours and cell.ours.mean, "ours_sd": cell.ours and cell.ours.sd,
        "difference": cell.difference, "verdict": cell.verdict,
        "mean_of_paper_rows": cell.misprint and cell.misprint.recomputed,
    }  # fmt: skip


def _seconds(reproduced: Reproduced, method: ReproducedMethod) -> dict[str, Any]:
    paper, runtime = method.paper_seconds, reproduced.published.runtime
    return {
        "table": runtime and runtime.table, "metric": "seconds",
        "paper_mean": paper and paper.mean, "paper_sd": paper and paper.sd,
        "ours_mean": method.seconds and method.seconds.mean, "ours_sd": method.seconds and method.seconds.sd,
    }  # fmt: skip

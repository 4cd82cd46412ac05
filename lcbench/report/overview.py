"""The overview table of runs: averages, transfer, time and memory of each method."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from lcbench.analysis.failures import run_count
from lcbench.analysis.lifelong_table import group_runs
from lcbench.analysis.run_scores import Spread
from lcbench.records.formulas import FORMULAS
from lcbench.records.record import OK, RunRecord
from lcbench.report import numbers
from lcbench.report.comparison.scores import with_spread
from lcbench.report.sheets.sheet import Sheet, text_sheet

HEADER = (
    "stream", "method", "runs", "metric", "at arrival", "after all", "backward", "learn s", "predict s", "state",
)  # fmt: skip


def overview_sheet(runs: Sequence[RunRecord], metrics: Sequence[str], stream: str | None = None) -> Sheet:
    """A row per stream, method and metric: means over the successful runs, ± standard deviation.

    With `stream` the table has the runs of that stream alone, is named after it, and has no column for it.
    """
    rows: list[tuple[str, ...]] = []
    for (of, label), group in group_runs(runs).items():
        if stream in (None, of):
            rows += _rows(of, label, group, metrics)
    cut, title = (0, "") if stream is None else (1, f"{stream}: averages over tasks, time and memory")
    rules = [i for i, row in enumerate(rows) if i and row[1]]
    return text_sheet(title, HEADER[cut:], (row[cut:] for row in rows), 4 - cut, rules=rules)


def _rows(stream: str, label: str, runs: Sequence[RunRecord], metrics: Sequence[str]) -> list[tuple[str, ...]]:
    """A row of texts per metric; only the first names the method and has its costs."""
    done = [run for run in runs if run.status == OK]
    costs = (
        numbers.seconds(fmean([sum(run.learn_seconds) for run in done]) if done else None),
        numbers.seconds(fmean([sum(run.predict_seconds) for run in done]) if done else None),
        numbers.size(max(run.state_bytes[-1] for run in done) if done else None),
    )
    rows: list[tuple[str, ...]] = []
    for i, metric in enumerate(metrics):
        backward = _figure(done, metric, "backward_transfer")
        scores = (
            with_spread(metric, _figure(done, metric, "average_at_arrival")),
            with_spread(metric, _figure(done, metric, "average_after_all")),
            numbers.score(metric, None if backward is None else backward.mean, signed=True),
        )
        head = (stream, label, run_count(runs)) if i == 0 else ("", "", "")
        rows.append((*head, metric, *scores, *(costs if i == 0 else ("", "", ""))))
    return rows


def _figure(runs: Sequence[RunRecord], metric: str, name: str) -> Spread | None:
    """A figure over successful runs; None if a run does not have it."""
    compute = next(formula.compute for formula in FORMULAS if formula.name == name)
    values = [None if metric not in run.scores else compute(run.scores[metric]) for run in runs]
    return None if None in values else Spread.of(values)

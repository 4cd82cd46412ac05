"""Rows of the overview table: averages, transfer, time and memory of each method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from lcbench.analysis.failures import run_count
from lcbench.analysis.lifelong_table import group_runs
from lcbench.analysis.run_scores import Spread
from lcbench.records.formulas import FORMULAS
from lcbench.records.record import OK, RunRecord
from lcbench.report import numbers
from lcbench.report.comparison.scores import with_spread

HEADER = (
    "stream",
    "method",
    "runs",
    "metric",
    "at arrival",
    "after all",
    "backward",
    "learn s",
    "predict s",
    "state",
)


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """One method on one stream under one metric, as text; `first` marks the first metric of a method."""

    cells: tuple[str, ...]
    first: bool


def overview(runs: Sequence[RunRecord], metrics: Sequence[str]) -> list[OverviewRow]:
    """A row per stream, method and metric: means over the successful runs, ± standard deviation."""
    rows = []
    for (stream, label), group in group_runs(runs).items():
        done = [run for run in group if run.status == OK]
        count = run_count(group)
        costs = (
            numbers.seconds(fmean([sum(run.learn_seconds) for run in done]) if done else None),
            numbers.seconds(fmean([sum(run.predict_seconds) for run in done]) if done else None),
            numbers.size(max(run.state_bytes[-1] for run in done) if done else None),
        )
        for i, metric in enumerate(metrics):
            scores = (
                _with_spread(done, metric, "average_at_arrival"),
                _with_spread(done, metric, "average_after_all"),
                numbers.score(metric, mean_figure(done, metric, "backward_transfer"), signed=True),
            )
            head = (stream, label, count) if i == 0 else ("", "", "")
            rows.append(OverviewRow((*head, metric, *scores, *(costs if i == 0 else ("", "", ""))), first=i == 0))
    return rows


def mean_figure(runs: Sequence[RunRecord], metric: str, name: str) -> float | None:
    """The mean of a figure over runs; None if a run does not have it."""
    values = _figures(runs, metric, name)
    return fmean(values) if values else None


def _with_spread(runs: Sequence[RunRecord], metric: str, name: str) -> str:
    """The mean of a figure as text, with ± the standard deviation if there are several runs."""
    return with_spread(metric, Spread.of(_figures(runs, metric, name)))


def _figures(runs: Sequence[RunRecord], metric: str, name: str) -> list[float]:
    """The figure of every run; empty if a run does not have it."""
    compute = next(formula.compute for formula in FORMULAS if formula.name == name)
    scored = [run.scores.get(metric) if run.status == OK else None for run in runs]
    values = [value for R in scored if R is not None and (value := compute(R)) is not None]
    return values if len(values) == len(runs) else []

"""Averages, transfer, time and memory of each method on each stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from lcbench.record import OK, RunRecord
from lcbench.report import figures
from lcbench.report.lifelong import group_runs

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
    """A row per stream, method and metric: means over the runs that came to their end."""
    rows = []
    for (stream, label), group in group_runs(runs).items():
        done = [run for run in group if run.status == OK]
        failed = len(group) - len(done)
        count = f"{len(done)} + {failed} failed" if failed else str(len(done))
        costs = (
            figures.seconds(fmean([sum(run.learn_seconds) for run in done]) if done else None),
            figures.seconds(fmean([sum(run.predict_seconds) for run in done]) if done else None),
            figures.size(max(run.state_bytes[-1] for run in done) if done else None),
        )
        for i, metric in enumerate(metrics):
            scores = (
                figures.score(metric, mean_figure(done, metric, "average_at_arrival")),
                figures.score(metric, mean_figure(done, metric, "average_after_all")),
                figures.score(metric, mean_figure(done, metric, "backward_transfer"), signed=True),
            )
            head = (stream, label, count) if i == 0 else ("", "", "")
            rows.append(OverviewRow((*head, metric, *scores, *(costs if i == 0 else ("", "", ""))), first=i == 0))
    return rows


def mean_figure(runs: Sequence[RunRecord], metric: str, name: str) -> float | None:
    """The mean of a figure over runs; None if a run does not have it."""
    values = [run.summary.get(metric, {}).get(name, {}).get("value") for run in runs]
    known = [v for v in values if v is not None]
    return fmean(known) if known and len(known) == len(values) else None

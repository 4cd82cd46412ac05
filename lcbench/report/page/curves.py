"""Turns scores and costs of runs into the JSON from which the page draws curves.

It holds the scores of every run on the tasks learned so far, so that tasks, orders and methods can be chosen in the
browser. A score is a whole number, to be divided by the scale of its metric, a power of ten that keeps four digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from lcbench.analysis.compare import CONFIDENCE
from lcbench.analysis.run_scores import END, Spread, alone_scores, task_scores
from lcbench.analysis.selection import MethodRuns, Selection, StreamRuns, run_key
from lcbench.analysis.statistics import Interval
from lcbench.analysis.transfer import curves_of
from lcbench.contract.specs import Setting
from lcbench.printable import printable_line
from lcbench.records.record import RunRecord
from lcbench.registry.metrics import greater_is_better, is_percent
from lcbench.registry.names import natural_key
from lcbench.report.page.thinning import Detail, Extent, choose_details, thinning_note

DIGITS = 4
MOST_SHOWN = 5  # methods whose curves are switched on when the page is opened
MOST_TASKS_NAMED = 8  # in the text of an order


def page_data(selection: Selection, shown: Sequence[str], *, others: bool = True) -> dict[str, Any]:
    """The data of all streams with a finished run: the metrics `shown` in the tables and, with `others`, the rest."""
    streams = selection.done
    extents = [extent_of(stream, shown, others=others) for stream in streams]
    kept = choose_details(extents)
    on = [
        first_shown(stream, detail.metrics[0]) if detail.metrics else []
        for stream, detail in zip(streams, kept, strict=True)
    ]
    labels = list(dict.fromkeys(method.label for stream in streams for method in stream.methods))
    labels.sort(key=lambda label: not any(label in own for own in on))  # the first styles are told apart best
    return {
        "methods": list(map(printable_line, labels)),
        "streams": [
            _stream(selection, stream, detail, thinning_note(detail, extent), labels, own)
            for stream, extent, detail, own in zip(streams, extents, kept, on, strict=True)
        ],
    }


def extent_of(stream: StreamRuns, shown: Sequence[str], *, others: bool) -> Extent:
    """Counts the metrics, tasks and runs of a stream, to tell how much data it has."""
    runs = [run for method in stream.methods for run in method.done]
    scored = {
        metric for run in runs for metric, R in run.scores.items() if any(c is not None for row in R for c in row)
    }
    first = [metric for metric in shown if metric in scored]
    more = sorted(scored - set(first), key=natural_key) if others else []
    counts = tuple(len(method.done) for method in stream.done)
    return Extent((*first, *more), len(first) or 1, len(stream.tasks), counts)


def first_shown(stream: StreamRuns, metric: str) -> list[str]:
    """The labels of at most five methods with a finished run: those with the best average by `metric` in each setting.

    Lifelong methods come first, then multi-task ones, then the best single-task method, which is always among the five:
    the others have to beat it. Where all methods are single-task the best of them are shown.
    """
    done = sorted(stream.done, key=lambda method: _place(method, stream.tasks, metric))
    learners = [method.label for method in done if not method.is_single_task]
    alone = [method.label for method in done if method.is_single_task]
    if not learners:
        return alone[:MOST_SHOWN]
    return [*learners[: MOST_SHOWN - len(alone[:1])], *alone[:1]]


def order_text(number: int, order: Sequence[str]) -> str:
    """An order of tasks as the page lists it for choice: `1: a → b`; of a long one the first tasks."""
    shown = order if len(order) <= MOST_TASKS_NAMED else [*order[: MOST_TASKS_NAMED - 1], "…"]
    return f"{number}: {' → '.join(map(printable_line, shown))}"


def whole(value: float | None, scale: float) -> int | None:
    """A score times its scale, rounded to a whole number."""
    return None if value is None else round(value * scale)


def _stream(
    selection: Selection, stream: StreamRuns, detail: Detail, thinned: str, labels: list[str], on: list[str]
) -> dict[str, Any]:
    runs = [run for method in stream.methods for run in method.done]
    orders = list(dict.fromkeys(run.order for run in sorted(runs, key=run_key)))
    scales = {metric: _scale(runs, metric) for metric in detail.metrics}
    carried = _Carried(selection, stream.tasks, detail.steps, scales, {order: i for i, order in enumerate(orders)})
    methods = [
        {
            "method": labels.index(method.label),
            "on": method.label in on,
            **(carried.runs(method) if detail.each_run else carried.mean(method, orders[0])),
            **(_paired(selection, method, detail.metrics) if len(orders) > 1 else {}),
        }
        for method in stream.done
    ]
    place = {task: i for i, task in enumerate(stream.tasks)}
    kept = orders if detail.each_run else orders[:1]
    return {
        "label": printable_line(stream.label),
        "tasks": list(map(printable_line, stream.tasks)),
        "metrics": [
            [printable_line(metric), scale, 100 if is_percent(metric) else 1] for metric, scale in scales.items()
        ],
        "steps": list(detail.steps),
        "orders": [[place[task] for task in order] for order in kept],
        "order_texts": [order_text(i, order) for i, order in enumerate(kept, 1)],
        "alone": carried.alone,
        "methods": methods,
        "thinned": thinned,
    }


@dataclass
class _Carried:
    """Turns the runs of one stream into lists for the browser; `alone` collects the scores of single-task baselines."""

    selection: Selection
    tasks: Sequence[str]
    steps: Sequence[int]
    scales: dict[str, float]
    orders: dict[tuple[str, ...], int]
    alone: list[list[list[int | None]]] = field(default_factory=list)
    baselines: dict[tuple[str, ...], int] = field(default_factory=dict)

    def runs(self, method: MethodRuns) -> dict[str, Any]:
        """Each run: its order, its baseline, R by metric row after row, seconds and bytes by step."""
        return {"runs": [self._mean_run([run]) for run in method.done]}

    def mean(self, method: MethodRuns, order: tuple[str, ...]) -> dict[str, Any]:
        """The mean of the runs in one order as if it were a run, and how many these are."""
        done = [run for run in method.done if run.order == order]
        return {"runs": [self._mean_run(done)] if done else [], "count": len(done)}

    def _mean_run(self, runs: Sequence[RunRecord]) -> list[Any]:
        """The means of some runs in the same order."""
        scores = [
            [
                whole(_mean(cells), scale)
                for m in self.steps
                for cells in zip(*(_row(run, metric, m) for run in runs), strict=True)
            ]
            for metric, scale in self.scales.items()
        ]
        return [self.orders[runs[0].order], self._baseline(runs), scores, *self._costs(runs)]

    def _costs(self, runs: Sequence[RunRecord]) -> list[list[float]]:
        steps = [m - 1 for m in self.steps]
        seconds = [fmean(run.learn_seconds[i] for run in runs) for i in steps]
        sizes = [fmean(run.state_bytes[i] for run in runs) for i in steps]
        return [[float(f"{value:.{DIGITS}g}") for value in seconds], [round(value) for value in sizes]]

    def _baseline(self, runs: Sequence[RunRecord]) -> int:
        """The index in `alone` of the baselines of these runs, added if they are new; -1 if there are none."""
        baselines = [run for run in map(self.selection.baseline_of, runs) if run is not None]
        key = tuple(run.run_id for run in baselines)
        if key and key not in self.baselines:
            self.baselines[key] = len(self.alone)
            self.alone.append([self._alone(baselines, metric, scale) for metric, scale in self.scales.items()])
        return self.baselines.get(key, -1)

    def _alone(self, baselines: Sequence[RunRecord], metric: str, scale: float) -> list[int | None]:
        """For each task: the mean score of the baselines, which learn it alone."""
        scores = zip(*(alone_scores(baseline, metric, self.tasks) for baseline in baselines), strict=True)
        return [whole(_mean(cells), scale) for cells in scores]


def _paired(selection: Selection, method: MethodRuns, metrics: Sequence[str]) -> dict[str, Any]:
    """By metric the points by arrival and since arrival, each a mean and its interval; nothing for single-task ones."""
    if method.is_single_task:
        return {}
    found = [(metric, curves_of(method, selection, metric, CONFIDENCE)) for metric in metrics]
    paired = [
        [[_point(metric, point) for point in side] for side in (curves.by_arrival, curves.since_arrival)]
        for metric, curves in found
    ]
    return {"paired": paired} if any(side for sides in paired for side in sides) else {}


def _point(metric: str, point: Interval) -> list[float | None]:
    scale = 100 if is_percent(metric) else 1
    return [None if value is None else round(scale * value, DIGITS) for value in (point.mean, point.low, point.high)]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _row(run: RunRecord, metric: str, learned: int) -> list[float | None]:
    """The scores of the first `learned` tasks of the order after as many tasks."""
    R = run.scores.get(metric)
    return [None] * learned if R is None else list(R[learned - 1][:learned])


def _scale(runs: Sequence[RunRecord], metric: str) -> float:
    """The power of ten that makes the largest score of a metric a number of four digits, or of five."""
    cells = (abs(cell) for run in runs for row in run.scores.get(metric, ()) for cell in row if cell is not None)
    largest = max(cells, default=0.0)
    return 10.0 ** (DIGITS - math.ceil(math.log10(largest))) if largest > 0 else 1.0


def _place(method: MethodRuns, tasks: tuple[str, ...], metric: str) -> tuple[int, bool, float]:
    """A sort key: by setting, then by average, best first; a method without an average comes last."""
    rank = (method.runs[0].setting != Setting.LIFELONG.value) + method.is_single_task
    spread = Spread.of([task_scores(run, metric, END, tasks).get(None) for run in method.done])
    average = 0.0 if spread is None else spread.mean
    return rank, spread is None, -average if greater_is_better(metric) else average

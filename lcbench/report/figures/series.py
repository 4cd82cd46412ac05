"""Turns scores of runs into the values of figures, and picks the methods to draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev

from lcbench.analysis.selection import MethodRuns, StreamRuns, grouped
from lcbench.records.formulas import average_after_all
from lcbench.records.record import RunRecord
from lcbench.registry.metrics import is_percent
from lcbench.report.figures.chart import Dots, Series


def shown(metric: str, score: float) -> float:
    """A score as figures show it: in percent, or unchanged."""
    return 100 * score if is_percent(metric) else score


def difference_unit(metric: str) -> str:
    """The unit of a difference of two scores, after the metric."""
    return f"{metric}, percentage points" if is_percent(metric) else metric


def spread(values: Sequence[float]) -> float:
    """The sample standard deviation; 0 of a single value."""
    return stdev(values) if len(values) > 1 else 0.0


def mean_series(
    name: str, points: Iterable[tuple[float, float]], *, hollow: int = 0, style: int | None = None
) -> Series:
    """A line from left to right through the means of the points at each x."""
    columns = grouped((float(x), y) for x, y in points)
    places = tuple(sorted(columns))
    values = [columns[x] for x in places]
    return Series(name, places, tuple(map(fmean, values)), tuple(map(spread, values)), hollow, style)


def dots(name: str, values: Iterable[float]) -> Dots:
    """A row of dots, with the mean of the values and their deviation."""
    found = tuple(values)
    return Dots(name, found, fmean(found), spread(found))


def final_scores(run: RunRecord, metric: str) -> dict[str, float]:
    """The scores of a run's tasks after the last one was learned."""
    last = run.scores[metric][-1] if run.scores.get(metric) else ()
    return {task: score for task, score in zip(run.order, last, strict=False) if score is not None}


def final_average(run: RunRecord, metric: str) -> float | None:
    """The average over all tasks after the last one was learned, as figures show it."""
    average = average_after_all(run.scores.get(metric, ()))
    return None if average is None else shown(metric, average)


def own_methods(stream: StreamRuns, named: Sequence[str]) -> list[MethodRuns]:
    """The methods with a finished run; one that is only the baseline of others is left out, unless named or alone."""
    baselines = {run.baseline for method in stream.methods for run in method.runs}
    own = [
        method
        for method in stream.done
        if is_named(method, named) or not all(run.run_id in baselines for run in method.runs)
    ]
    return own or stream.done


def is_named(method: MethodRuns, named: Sequence[str]) -> bool:
    """True if the user named a method: by its label, or by its name."""
    return bool({method.label, method.runs[0].label, method.runs[0].method} & set(named))

"""Compares the methods of a selection: scores, transfer, figures, differences, ranks.

In place of a task, None stands for the average over all tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, TypeVar

from lcbench.analysis.caveats import caveats, collapses
from lcbench.analysis.differences import Difference, differences, find_reference
from lcbench.analysis.failures import failure_lines
from lcbench.analysis.first_place import FirstPlace, first_place
from lcbench.analysis.run_scores import ARRIVAL, END, Spread, TaskOrAverage, task_scores
from lcbench.analysis.selection import MethodRuns, Selection, StreamRuns, grouped, run_key
from lcbench.analysis.statistics import (
    LEAST_STREAMS,
    TestResult,
    common_methods,
    critical_difference,
    friedman,
    mean_ranks,
)
from lcbench.analysis.transfer import Transfer, transfer_of
from lcbench.errors import ParameterError
from lcbench.records.record import RunRecord
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import greater_is_better
from lcbench.registry.names import format_entry

CONFIDENCE = 0.95
Name = TypeVar("Name", str, TaskOrAverage)


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """A method on a stream: its label and parameters, how its runs ended, and the note that tables show with it.

    `entry` is the method as a user would type it, `baseline` the single-task method that its runs are measured against.
    For the successful runs, `orders` is the number of runs of each order, `seeds` are their seeds, `learn_seconds` is
    the mean time that learning took and `state_bytes` the largest state that was carried on in the end.
    """

    label: str
    entry: str
    note: str
    setting: str
    done: int
    failed: Mapping[str, int]
    orders: tuple[int, ...]
    seeds: tuple[int, ...]
    baseline: str | None = None
    learn_seconds: float | None = None
    state_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ComparedStream:
    """All methods on one stream; the keys are (method, metric, task) or (method, metric, figure).

    `first` is the first place by the first metric; `transfer` has, by (method, metric), what other tasks bring;
    `collapses` are notes on partitions that collapsed. `paired` is True if all methods with successful runs have them
    for the same orders, seeds and repeats.
    """

    label: str
    tasks: tuple[str, ...]
    methods: tuple[ComparedMethod, ...]
    first: FirstPlace | None
    confidence: float
    paired: bool
    scores: Mapping[tuple[str, str, TaskOrAverage], Spread]
    figures: Mapping[tuple[str, str, str], Spread]
    transfer: Mapping[tuple[str, str], Transfer]
    collapses: tuple[str, ...]
    failures: tuple[str, ...]
    reference: str | None
    differences: Mapping[tuple[str, str, TaskOrAverage], Difference]

    def scored_by(self, metrics: Sequence[str]) -> list[str]:
        """Those of the metrics that some task on this stream was scored with; all of them if nothing was scored."""
        there = {metric for _, metric, _ in self.scores}
        return [metric for metric in metrics if metric in there or not there]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The mean ranks by one metric of the methods that have scores on all streams.

    `left_out` are the other methods. The test and the critical difference need LEAST_STREAMS streams.
    """

    metric: str
    streams: int
    ranks: Mapping[str, float]
    left_out: tuple[str, ...]
    friedman: TestResult | None
    critical_difference: float | None


@dataclass(frozen=True, slots=True)
class MethodComparison:
    """All methods on all streams under some metrics.

    `at` is the moment of scoring, `against` the reference method; `left_out` are notes on runs that are in no table,
    `caveats` those on how the others were made.
    """

    streams: tuple[ComparedStream, ...]
    metrics: tuple[str, ...]
    at: str
    against: str | None
    confidence: float
    rankings: tuple[Ranking, ...]
    left_out: tuple[str, ...]
    caveats: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on all runs, those that were left out first."""
        return (*self.left_out, *self.caveats)


def compare_methods(
    selection: Selection,
    metrics: Sequence[str],
    *,
    against: str | None = None,
    at: str = END,
    confidence: float = CONFIDENCE,
) -> MethodComparison:
    """Compare the methods of a selection; `against` is the reference, `at` "end" or "arrival"."""
    if at not in (END, ARRIVAL):
        raise ParameterError(f"at takes {END} or {ARRIVAL}, not '{at}'.")
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence takes a number between 0 and 1, such as 0.95, not {confidence:g}.")
    references = {} if against is None else find_reference(selection.streams, against)
    streams = tuple(
        _stream(selection, stream, metrics, references.get(stream.label), at, confidence)
        for stream in selection.streams
    )
    rankings = [ranking for metric in metrics if (ranking := rank(streams, metric)) is not None]
    labelled = ((method.label, run) for stream in selection.streams for method in stream.methods for run in method.runs)
    return MethodComparison(
        streams, tuple(metrics), at, against, confidence, tuple(rankings), selection.notes, tuple(caveats(labelled))
    )


def rank(streams: Sequence[ComparedStream], metric: str) -> Ranking | None:
    """Rank the methods by their mean score over tasks; None without two streams and two methods on all of them."""
    entries = grouped((method.label, method.entry) for stream in streams for method in stream.methods)
    scores = {
        stream.label: {
            method.label: spread.mean
            for method in stream.methods
            if len(set(entries[method.label])) == 1  # else the label stands for different methods on different streams
            and (spread := stream.scores.get((method.label, metric, None))) is not None
        }
        for stream in streams
    }
    scores = {stream: found for stream, found in scores.items() if found}
    ranked = common_methods(scores)
    if len(scores) < 2 or len(ranked) < 2:
        return None
    enough = len(scores) >= LEAST_STREAMS
    return Ranking(
        metric=metric,
        streams=len(scores),
        ranks=mean_ranks(scores, greater_is_better=greater_is_better(metric)),
        left_out=tuple(label for label in entries if label not in ranked),
        friedman=friedman(scores) if enough else None,
        critical_difference=critical_difference(len(ranked), len(scores)) if enough else None,
    )


def _stream(
    selection: Selection,
    stream: StreamRuns,
    metrics: Sequence[str],
    reference: MethodRuns | None,
    at: str,
    confidence: float,
) -> ComparedStream:
    run_sets = [frozenset(map(run_key, method.done)) for method in stream.methods]
    failed = [run for method in stream.methods for run in method.failed]
    scores = _spreads(stream, metrics, lambda run, metric: task_scores(run, metric, at, stream.tasks))
    scored = [metric for metric in metrics if any(key == metric for _, key, task in scores if task is None)]
    return ComparedStream(
        label=stream.label,
        tasks=stream.tasks,
        methods=tuple(_method(selection, method) for method in stream.methods),
        first=first_place(stream, scored[0], scores, at, confidence) if scored else None,
        confidence=confidence,
        paired=len({runs for runs in run_sets if runs}) < 2,
        scores=scores,
        figures=_spreads(stream, metrics, selection.figures_of),
        transfer={
            (method.label, metric): found
            for method in stream.methods
            for metric in metrics
            if (found := transfer_of(method, selection, metric, confidence)) is not None
        },
        collapses=tuple(collapses({method.label: method.done for method in stream.methods})),
        failures=tuple(line.removeprefix("lcbench: ") for line in failure_lines(failed)),
        reference=None if reference is None else reference.label,
        differences={} if reference is None else differences(stream, reference, metrics, at, confidence),
    )


def _method(selection: Selection, method: MethodRuns) -> ComparedMethod:
    run = method.runs[0]
    baselines = [baseline.label for done in method.done if (baseline := selection.baseline_of(done)) is not None]
    return ComparedMethod(
        label=method.label,
        entry=format_entry(run.method, _changed_params(run)),
        note=next((run.note for run in method.runs if run.note), ""),
        done=len(method.done),
        setting=run.setting,
        failed=Counter(run.status for run in method.failed),
        orders=tuple(Counter(run.order for run in method.done).values()),
        seeds=tuple(sorted({run.seed for run in method.done})),
        baseline=", ".join(dict.fromkeys(baselines)) or None,
        learn_seconds=fmean(sum(run.learn_seconds) for run in method.done) if method.done else None,
        state_bytes=max((run.state_bytes[-1] for run in method.done), default=None),
    )


def _changed_params(run: RunRecord) -> Mapping[str, Any]:
    """The parameters that differ from the method's current defaults; all if the method is no longer installed.

    Those that were tuned are left out: what was chosen differs from run to run.
    """
    spec = plugin_host().registry.methods.get(run.method)
    params = spec.params if spec is not None else ()
    defaults = {p.name: list(p.default) if isinstance(p.default, tuple) else p.default for p in params}
    tuned = {name for point in run.tune["grid"] or () for name in point}
    kept = {name: value for name, value in run.params.items() if name not in tuned}
    return {name: value for name, value in kept.items() if name not in defaults or defaults[name] != value}


def _spreads(
    stream: StreamRuns, metrics: Sequence[str], values_of: Callable[[RunRecord, str], Mapping[Name, float | None]]
) -> dict[tuple[str, str, Name], Spread]:
    """The spread over a method's successful runs of each value that they have by a metric."""
    found: dict[tuple[str, str, Name], Spread] = {}
    for method in stream.methods:
        for metric in metrics:
            runs = [values_of(run, metric) for run in method.done]
            for name in dict.fromkeys(name for values in runs for name in values):
                spread = Spread.of([values.get(name) for values in runs])
                if spread is not None:
                    found[method.label, metric, name] = spread
    return found

"""Compares the methods of a selection: scores, lifelong figures, differences, ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from lcbench.analysis.comparison import ComparedMethod, ComparedStream, MethodComparison, Ranking, Spread, TaskOrAverage
from lcbench.analysis.differences import differences, find_reference
from lcbench.analysis.failures import failure_lines
from lcbench.analysis.run_figures import figures_of
from lcbench.analysis.selection import MethodRuns, Selection, StreamRuns, run_key
from lcbench.analysis.statistics.ranks import LEAST_STREAMS, common_methods, critical_difference, friedman, mean_ranks
from lcbench.analysis.task_scores import END, check_moment, task_scores
from lcbench.errors import ParameterError
from lcbench.records.formulas import FORMULAS
from lcbench.records.record import RunRecord
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import greater_is_better
from lcbench.registry.names import format_entry

CONFIDENCE = 0.95


def compare_methods(
    selection: Selection,
    metrics: Sequence[str],
    *,
    against: str | None = None,
    at: str = END,
    confidence: float = CONFIDENCE,
) -> MethodComparison:
    """Compare the methods of a selection; `against` is the reference, `at` "end" or "arrival"."""
    check_moment(at)
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence takes a number between 0 and 1, such as 0.95, not {confidence:g}.")
    references = {} if against is None else find_reference(selection.streams, against)
    streams = tuple(
        _stream(selection, stream, metrics, references.get(stream.label), at, confidence)
        for stream in selection.streams
    )
    rankings = [ranking for metric in metrics if (ranking := rank(streams, metric)) is not None]
    return MethodComparison(streams, tuple(metrics), at, against, confidence, tuple(rankings), selection.notes)


def rank(streams: Sequence[ComparedStream], metric: str) -> Ranking | None:
    """Rank the methods by their mean score over tasks; None without two streams and two methods on all of them."""
    entries: dict[str, set[str]] = {}
    for stream in streams:
        for method in stream.methods:
            entries.setdefault(method.label, set()).add(method.entry)
    scores = {
        stream.label: {
            method.label: spread.mean
            for method in stream.methods
            if len(entries[method.label]) == 1  # else the label stands for different methods on different streams
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
    return ComparedStream(
        label=stream.label,
        tasks=stream.tasks,
        methods=tuple(_method(selection, method) for method in stream.methods),
        paired=len({runs for runs in run_sets if runs}) < 2,
        scores=_scores(stream, metrics, at),
        figures=_figures(selection, stream, metrics),
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
    )


def _changed_params(run: RunRecord) -> Mapping[str, Any]:
    """The parameters that differ from the method's current defaults; all if the method is no longer installed."""
    spec = plugin_host().registry.methods.get(run.method)
    params = spec.params if spec is not None else ()
    defaults = {p.name: list(p.default) if isinstance(p.default, tuple) else p.default for p in params}
    return {name: value for name, value in run.params.items() if name not in defaults or defaults[name] != value}


def _scores(stream: StreamRuns, metrics: Sequence[str], at: str) -> dict[tuple[str, str, TaskOrAverage], Spread]:
    found: dict[tuple[str, str, TaskOrAverage], Spread] = {}
    for method in stream.methods:
        for metric in metrics:
            runs = [task_scores(run, metric, at, stream.tasks) for run in method.done]
            for task in (*stream.tasks, None):
                spread = Spread.of([scores.get(task) for scores in runs])
                if spread is not None:
                    found[method.label, metric, task] = spread
    return found


def _figures(selection: Selection, stream: StreamRuns, metrics: Sequence[str]) -> dict[tuple[str, str, str], Spread]:
    found: dict[tuple[str, str, str], Spread] = {}
    for method in stream.methods:
        for metric in metrics:
            runs = [figures_of(run, metric, selection.baseline_of(run)) for run in method.done]
            for formula in FORMULAS:
                spread = Spread.of([figures[formula.name] for figures in runs])
                if spread is not None:
                    found[method.label, metric, formula.name] = spread
    return found

"""Runs an experiment from Python: `lcbench.run` with all its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lcbench.api.results import Results
from lcbench.audit.verdict import DEFAULT_MODES, checked_modes
from lcbench.experiment.limits import make_limits
from lcbench.experiment.pipeline import run_plan
from lcbench.experiment.planning import DEFAULT_METHODS, DEFAULT_STREAMS, plan_runs
from lcbench.experiment.shown_metrics import first_metric
from lcbench.running.executor import ExecutionOptions


def run(
    methods: Any = DEFAULT_METHODS,
    streams: Any = DEFAULT_STREAMS,
    *,
    order: str | Sequence[str] = "fixed",
    repeats: int = 1,
    seed: int = 0,
    metrics: str | Sequence[str] | None = None,
    evaluate: str = "all",
    future: bool = False,
    threads: int = 1,
    baselines: bool = True,
    grid: Mapping[str, Mapping[str, Any]] | None = None,
    tune: str = "none",
    tune_metric: str | None = None,
    audit: str | Sequence[str] = DEFAULT_MODES,
    out: str | Path | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    jobs: int | None = None,
    timeout: float | str | None = None,
    memory_limit: int | str | None = None,
    listeners: Sequence[object] = (),
) -> Results:
    """Run every method on every stream and return the records.

    Parameters
    ----------
    methods, streams
        Names with parameters (`"l2sc:lam=10"`), instances of Clusterer and TaskStream, or a mapping from labels to
        either. A stream may also be the path of a folder (`"./my-stream:label=topic"`).
    order
        `"fixed"`, `"random"`, `"all"` (every permutation of up to five tasks), `"leave-one-out"` (the random orders,
        each whole and without each task in turn), or a list of task names.
    repeats, seed
        Each repeat has its own seeds, and with `order="random"` its own order; all come from `seed`.
    metrics
        The metrics to show: by default purity, nmi and ri, and silhouette for streams without labels. All external
        metrics are always computed where there are labels, internal ones only when they are named here.
    evaluate, future
        After which tasks all seen so far are scored: `"all"`, `"last"` or `"every:N"`; with `future` also the tasks
        still to come, for methods that can.
    threads
        BLAS and OpenMP threads of a run.
    baselines
        Also run the single-task baseline that a method's spec names, with the parameters both share.
    grid
        Values to try, by method and parameter: `{"l2sc": {"lam": [0.1, 1, 10], "mu": "paper"}}`.
    tune, tune_metric
        How to choose among the grid: `"none"` (every point is a method of its own), `"oracle"`, `"first-task"` or
        `"silhouette"`; and by which metric, the first one shown if none is named.
    audit
        The audits of what a method keeps of old tasks: `"measure"`, and also `"isolate"` and `"poison"`.
    out
        A results folder: each run is written to it as it ends, and a run that is stored there already is not repeated.
    fresh, retry_failed
        Repeat all stored runs; repeat the stored runs that failed.
    jobs, timeout, memory_limit
        With any of these, runs are carried out by worker processes: how many at once, how long a run may take
        (seconds, or `"5min"`), and how much memory it may use (bytes, or `"2GB"`). Otherwise in this process.
    listeners
        Objects with methods marked `@hookimpl` for the event hooks.
    """
    plan = plan_runs(
        methods, streams,
        order=order, repeats=repeats, seed=seed, evaluate=evaluate, future=future, threads=threads, baselines=baselines,
        grid=grid, tune=tune, tune_metric=tune_metric or first_metric(metrics, tune),
    )  # fmt: skip
    limits = None
    if jobs is not None or timeout is not None or memory_limit is not None:
        limits = make_limits(1 if jobs is None else jobs, threads, timeout, memory_limit)
    execution = ExecutionOptions(limits, checked_modes(audit), fresh, retry_failed)
    return Results.of(run_plan(plan, metrics=metrics, out=out, execution=execution, listeners=listeners))

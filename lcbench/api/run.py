"""Runs an experiment from Python: `lcbench.run` with all its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from lcbench.api.progress import progress_shown
from lcbench.api.results import Results
from lcbench.experiment.options import LOCAL, OPTIONS, Experiment
from lcbench.experiment.pipeline import carry_out, prepare

if TYPE_CHECKING:
    from lcbench.records.store import Store
    from lcbench.running.executor import Executor


def run(
    methods: Any = ("l2sc", "stsc"),
    streams: Any = ("digits",),
    *,
    plugins: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    order: str | Sequence[str] = "fixed",
    repeats: int = 1,
    seed: int = 0,
    name: str | None = None,
    metrics: str | Sequence[str] | None = (),
    evaluate: str = "all",
    future: bool = False,
    threads: int = 1,
    baselines: bool = True,
    solo: bool | None = None,
    grid: Mapping[str, Mapping[str, Any]] | Sequence[str] | None = None,
    tune: str = "none",
    tune_metric: str | None = None,
    audit: str | Sequence[str] = ("measure",),
    out: str | PathLike[str] | Store | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    jobs: int | None = None,
    timeout: float | str | None = None,
    memory_limit: int | str | None = None,
    sealed: bool = False,
    executor: Executor | str | None = "local",
    scheduler: str | None = None,
    listeners: Sequence[object] = (),
    progress: bool | None = None,
) -> Results:
    """Run every method on every stream and return the records.

    Parameters
    ----------
    methods
        Names with parameters (`"l2sc:lam=10"`), instances of Clusterer, or a mapping from labels to either.
    streams
        Names with parameters, instances of TaskStream, or a mapping from labels to either. A stream may also be the
        path of a folder (`"./my-stream:label=topic"`).
    plugins
        Python files with methods of yours, or with hooks, to use beside what is installed; they stay registered until
        the process ends. A file that was edited is loaded anew, and its stored runs are made again.
    order
        `"fixed"`, `"random"`, `"all"` (every permutation of up to five tasks), `"leave-one-out"` (the random orders,
        each whole and without each task in turn), or a list of task names.
    repeats
        How often to run all. Each repeat has its own seeds, and with `order="random"` its own order.
    seed
        The number that all seeds and orders come from.
    name
        A name for the experiment, kept with its runs.
    metrics
        The metrics to show: by default purity, nmi, ri and ari, and silhouette for streams without labels. All external
        metrics are always computed where there are labels, internal ones only when they are named here.
    evaluate
        After which tasks all seen so far are scored: `"all"`, `"last"` or `"every:N"`.
    future
        Also score the tasks still to come, for methods that can.
    threads
        BLAS and OpenMP threads of a run.
    baselines
        Also run the single-task baseline that a method's spec names, with the parameters both share.
    solo
        Also learn each task alone with a fresh instance of every lifelong or multi-task method: what other tasks bring
        is measured against that. By default for streams of up to 50 tasks.
    grid
        Values to try, by method and parameter: `{"l2sc": {"lam": [0.1, 1, 10], "mu": "paper"}}`.
    tune
        How to choose among the grid: `"none"` (every point is a method of its own), `"oracle"`, `"first-task"` or
        `"silhouette"`.
    tune_metric
        By which metric to choose: the first one shown if none is named.
    audit
        The audits of what a method keeps of old tasks: `"measure"`, and also `"isolate"` and `"poison"`.
    out
        A results folder: each run is written to it as it ends, and a run that is stored there already is not repeated.
        Or any object that can do what `lcbench.Store` says.
    fresh
        Repeat all stored runs.
    retry_failed
        Repeat the stored runs that failed.
    jobs
        How many runs at once. Every run has a process of its own; but an instance whose class no other process can
        import, such as one of a notebook, runs in this process, and its record says `isolated: false`.
    timeout
        How long a run may take: seconds, or `"5min"`.
    memory_limit
        How much memory a run may use: bytes, or `"2GB"`.
    sealed
        Seal these processes off, on Linux with bubblewrap: no network, a read-only file system, neither cache nor
        results to be seen.
    executor
        `"dask"` carries out runs on a Dask cluster. Or an object that can do what `lcbench.Executor` says.
    scheduler
        The address of the scheduler of that cluster; without one, a cluster is started on this machine.
    listeners
        Objects with methods marked `@hookimpl` for the event hooks.
    progress
        Show how the runs get on: by default in a notebook only. True shows it on standard error elsewhere.
    """
    given = {name: value for name, value in locals().items() if name in OPTIONS}
    other = None if isinstance(executor, str) else executor
    given |= {"metrics": metrics or (), "results": out, "executor": executor if other is None and executor else LOCAL}
    asked = Experiment(**given)
    with progress_shown(progress) as shown:
        if shown is None:
            return Results.of(carry_out(prepare(asked), executor=other, listeners=listeners))
        told = [*listeners, shown]
        return Results.of(carry_out(prepare(asked), executor=other, listeners=told, announce=shown.add))

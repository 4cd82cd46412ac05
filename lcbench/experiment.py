"""An experiment: planned first, then run one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lcbench.events import Events
from lcbench.execution import execute
from lcbench.planning import PlannedRun, plan_runs
from lcbench.plugins import plugin_host
from lcbench.results import Results
from lcbench.scoring import check_metrics, default_metrics, load_metrics, metric_key, warn_about_labels

DEFAULT_METHODS = ("l2sc", "stsc")
DEFAULT_STREAMS = ("digits",)


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
    out: str | Path | None = None,
    listeners: Sequence[object] = (),
) -> Results:
    """Run every method on every stream and return the records.

    Parameters
    ----------
    methods, streams
        Names with parameters (`"l2sc:lam=10"`), instances of Clusterer and TaskStream, or a mapping from labels to
        either. A stream may also be the path of a folder (`"./my-stream:label=topic"`).
    order
        `"fixed"`, `"random"`, `"all"` (every permutation of up to five tasks), or a list of task names.
    repeats, seed
        Each repeat has its own seeds, and with `order="random"` its own order; all come from `seed`.
    metrics
        What is shown: by default purity, nmi and ri, and silhouette for streams without labels. All external
        metrics are computed always where there are labels, internal ones only when they are named here.
    evaluate, future
        After which tasks all seen so far are scored: `"all"`, `"last"` or `"every:N"`; with `future` also the tasks
        still to come, for methods that can.
    threads
        BLAS and OpenMP threads of a run.
    baselines
        Whether to run the single-task baseline that a method's spec names, with the parameters both share.
    out
        A folder to write each run to as it ends.
    listeners
        Objects with methods marked `@hookimpl` for the event hooks.
    """
    plan = plan_runs(
        methods, streams,
        order=order, repeats=repeats, seed=seed, evaluate=evaluate, future=future, threads=threads, baselines=baselines,
    )  # fmt: skip
    return run_plan(plan, metrics=metrics, out=out, listeners=listeners)


def run_plan(
    plan: Sequence[PlannedRun],
    *,
    metrics: str | Sequence[str] | None = None,
    out: str | Path | None = None,
    listeners: Sequence[object] = (),
) -> Results:
    """Carry out planned runs one after the other; the parameters are those of `run`."""
    host = plugin_host()
    asked = [metrics] if isinstance(metrics, str) else list(metrics or ())
    check_metrics(asked)
    streams = list({id(planned.stream): planned.stream for planned in plan}.values())
    for stream in streams:
        stream.tasks()  # data that cannot be had must not stop an experiment half-way
    metrics = asked or default_metrics(streams)
    computed = load_metrics(metrics, host.registry)
    warn_about_labels(streams, metrics, host.registry)
    if out is not None:
        from lcbench.store import RunStore

        listeners = (*listeners, RunStore(out))
    events = Events(host.manager, listeners)
    records = [execute(planned, computed, events) for planned in plan]
    return Results(records, list(dict.fromkeys(metric_key(name, host.registry) for name in metrics)))

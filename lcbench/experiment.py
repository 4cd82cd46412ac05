"""An experiment: planned, compared with what is done already, and the rest carried out."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.audit import checked_modes
from lcbench.codefacts import changed_code, code_of
from lcbench.conduct import Conduct, carry_out, make_limits, streams_of, workers_started
from lcbench.errors import RecordError
from lcbench.events import Events
from lcbench.planning import Plan, plan_runs
from lcbench.plugins import plugin_host
from lcbench.record import RunRecord
from lcbench.results import Results
from lcbench.resuming import Standing, look_up
from lcbench.scoring import check_metrics, first_metric, metric_key, shown_metrics, warn_about_labels

if TYPE_CHECKING:
    from lcbench.store.runs import RunStore

logger = logging.getLogger(__name__)

DEFAULT_METHODS = ("l2sc", "stsc")
DEFAULT_STREAMS = ("digits",)
DEFAULT_AUDIT = ("measure",)
_TELLING = ("status", "choice", "scores", "agreement", "audit")  # what may differ when a tuned run is chosen again


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
    audit: str | Sequence[str] = DEFAULT_AUDIT,
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
        What is shown: by default purity, nmi and ri, and silhouette for streams without labels. All external
        metrics are computed always where there are labels, internal ones only when they are named here.
    evaluate, future
        After which tasks all seen so far are scored: `"all"`, `"last"` or `"every:N"`; with `future` also the tasks
        still to come, for methods that can.
    threads
        BLAS and OpenMP threads of a run.
    baselines
        Whether to run the single-task baseline that a method's spec names, with the parameters both share.
    grid
        Values to try, by method and parameter: `{"l2sc": {"lam": [0.1, 1, 10], "mu": "paper"}}`.
    tune, tune_metric
        How to choose among the grid: `"none"` (every point is a method of its own), `"oracle"`, `"first-task"` or
        `"silhouette"`; and by which metric, the first one shown if none is named.
    audit
        What is looked at to see what a method keeps: `"measure"`, and also `"isolate"` and `"poison"`.
    out
        A results folder: each run is written to it as it ends, and one that is there already is not run again.
    fresh, retry_failed
        Run again what is there already; run again what failed.
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
    conduct = Conduct(limits, checked_modes(audit), fresh, retry_failed)
    return run_plan(plan, metrics=metrics, out=out, conduct=conduct, listeners=listeners)


def run_plan(
    plan: Plan,
    *,
    metrics: str | Sequence[str] | None = None,
    out: str | Path | None = None,
    conduct: Conduct | None = None,
    standing: Standing | None = None,
    listeners: Sequence[object] = (),
) -> Results:
    """Carry out planned runs; the parameters are those of `run`. `standing` is what `look_up` says, if it was asked."""
    from lcbench.store.runs import RunStore

    conduct = conduct or Conduct()
    registry = plugin_host().registry
    asked = [metrics] if isinstance(metrics, str) else list(metrics or ())
    check_metrics(asked)
    store = None if out is None else RunStore(out)
    standing = standing or look_up(plan, store, conduct)
    records = {} if store is None else _load(standing, store)
    if store is not None:
        listeners = (store, *listeners)
        if standing.left or plan.tuned:
            store.prepare()
    with workers_started(conduct, standing.left) as conduct:
        streams = streams_of(standing.left)
        for stream in streams:
            stream.tasks()  # data that cannot be had must not stop an experiment half-way
        shown = asked or shown_metrics(streams, records.values())
        warn_about_labels(streams, shown, registry)
        wanted = list(dict.fromkeys((*shown, *plan.tuning_metrics)))
        if store is not None:
            _complete(standing, records, wanted, store)
        events = Events(plugin_host().manager, listeners)
        for record in carry_out(standing.left, wanted, conduct, events, standing.audited):
            records[record.run_id] = record
    keys = list(dict.fromkeys(metric_key(name, registry) for name in shown))
    results = _results(plan, records, keys, store)
    if store is not None and standing.left:
        store.index()  # brought up to date now, so that nobody else has to wait for it
    return results


def _load(standing: Standing, store: RunStore) -> dict[str, RunRecord]:
    """The records of runs that need not be run again; one that cannot be read after all has to be."""
    records: dict[str, RunRecord] = {}
    changed: dict[str, int] = {}
    for known in (standing.done, standing.failed):
        for planned in list(known):
            record = store.load(planned.run_id)
            if record is None:
                known.remove(planned)
                standing.left.append(planned)
                continue
            records[planned.run_id] = record.called_as(planned.record)
            if changed_code(record.code, code_of(planned.method)):
                changed[record.method] = changed.get(record.method, 0) + 1
    for method, count in changed.items():
        logger.warning(
            "The code of '%s' was changed since %s made, and its revision was not raised: --fresh runs it again.",
            method, "the run here was" if count == 1 else f"the {count} runs here were",
        )  # fmt: skip
    return records


def _complete(standing: Standing, records: dict[str, RunRecord], metrics: Sequence[str], store: RunStore) -> None:
    """Compute metrics that finished runs do not have yet, from their labels; a run without these is run again."""
    registry = plugin_host().registry
    keys = [metric_key(name, registry) for name in metrics]
    for planned in list(standing.done):
        record = records[planned.run_id]
        missing = [key for key in keys if key not in record.scores]
        if not missing:
            continue
        from lcbench.rescoring import add_scores
        from lcbench.scoring import load_metrics

        computed = load_metrics(missing, registry)
        tasks = planned.stream.tasks()
        try:
            record.labels = store.load_labels(planned.run_id)
        except RecordError as error:
            logger.warning("%s The run is made again.", error)
            standing.done.remove(planned)
            standing.left.append(planned)
            del records[planned.run_id]
            continue
        add_scores(record, tasks, {key: computed[key] for key in missing})
        store.save(record)


def _results(plan: Plan, records: Mapping[str, RunRecord], metrics: list[str], store: RunStore | None) -> Results:
    """The runs in the order of the plan; of a grid that was tuned over, what was chosen, and the gaps."""
    shown = [records[planned.run_id] for planned in plan if planned.run_id not in plan.searched]
    if not plan.tuned:
        return Results(shown, metrics)
    from lcbench.tuning import gaps, tuned_records

    tuned = tuned_records(plan, records)
    if store is not None:
        for record in tuned:
            _keep(record, store)
    searched = [records[planned.run_id] for planned in plan if planned.run_id in plan.searched]
    return Results([*shown, *tuned], metrics, searched=searched, gaps=gaps(plan, records, metrics))


def _keep(record: RunRecord, store: RunStore) -> None:
    """Write a tuned run, unless it is there, with the labels of the run that was chosen."""
    before = store.load(record.run_id)
    if before is not None and all(getattr(before, name) == getattr(record, name) for name in _TELLING):
        return
    if record.choice is not None and record.choice["run_id"] is not None:
        try:
            store.copy_labels(record.choice["run_id"], record.run_id)
        except RecordError as error:
            logger.warning("'%s' is not kept: %s", record.label, error)
            return
    store.save(record)

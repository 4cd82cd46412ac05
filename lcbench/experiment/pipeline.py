"""Carries out a planned experiment: reuses stored runs, does the rest, then tunes."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lcbench.errors import RecordError
from lcbench.experiment.outcome import Outcome
from lcbench.experiment.planning import Plan
from lcbench.experiment.resuming import Backlog, find_backlog
from lcbench.records.record import RunRecord
from lcbench.registry.events import Events
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import check_metrics, default_metrics, first_external, labelled_tasks, metric_key
from lcbench.running.code_fingerprint import changed_code, code_of
from lcbench.running.executor import ExecutionOptions, execute_runs, streams_of, workers_started
from lcbench.running.planned_run import ConfiguredStream, unlabelled

if TYPE_CHECKING:
    from lcbench.records.store import RunStore

logger = logging.getLogger(__name__)
_COMPARED = ("status", "choice", "scores", "agreement", "audit")  # a tuned run is stored again if one of these changed


def run_plan(
    plan: Plan,
    *,
    metrics: str | Sequence[str] | None = None,
    out: str | Path | None = None,
    execution: ExecutionOptions | None = None,
    backlog: Backlog | None = None,
    listeners: Sequence[object] = (),
) -> Outcome:
    """Carries out the runs of a plan that are not stored in `out` yet, and returns all of them.

    The parameters are those of `lcbench.run`; `backlog` is the result of `find_backlog`, if the caller has it already.
    """
    from lcbench.records.store import RunStore

    execution = execution or ExecutionOptions()
    registry = plugin_host().registry
    asked = [metrics] if isinstance(metrics, str) else list(metrics or ())
    check_metrics(asked)
    store = None if out is None else RunStore(out)
    backlog = backlog or find_backlog(plan, store, execution)
    records = {} if store is None else _load(backlog, store)
    if store is not None:
        listeners = (store, *listeners)
        if backlog.left or plan.tuned:
            store.prepare()
    with workers_started(execution, backlog.left) as execution:
        streams = streams_of(backlog.left)
        for stream in streams:
            stream.tasks()  # missing data must stop an experiment before its first run, not half-way
        shown = asked or _usual_metrics(streams, records.values())
        _warn_about_labels(streams, shown)
        wanted = list(dict.fromkeys((*shown, *plan.tuning_metrics)))
        if store is not None:
            _complete(backlog, records, wanted, store)
        events = Events(plugin_host().manager, listeners)
        for record in execute_runs(backlog.left, wanted, execution, events, backlog.audited):
            records[record.run_id] = record
    keys = list(dict.fromkeys(metric_key(name, registry) for name in shown))
    results = _results(plan, records, keys, store)
    if store is not None and backlog.left:
        store.index()  # updated now, so that the next command need not wait for it
    return results


def _usual_metrics(streams: Sequence[ConfiguredStream], stored: Iterable[RunRecord]) -> list[str]:
    """The default metrics: streams to be run tell by their data which tasks have labels, stored runs by scores."""
    labelled = [task.y is not None for stream in streams for task in stream.tasks()]
    return default_metrics([*labelled, *(known for record in stored for known in labelled_tasks(record.scores))])


def _warn_about_labels(streams: Sequence[ConfiguredStream], metrics: Sequence[str]) -> None:
    """Warns about tasks without labels, for which external metrics stay empty."""
    external = [name for name in metrics if first_external(name)]
    for stream in streams:
        without = unlabelled(stream.tasks())
        if external and without:
            every = len(without) == len(stream.tasks())
            logger.warning(
                "Stream '%s' has no labels%s: %s cannot be computed%s.",
                stream.label, "" if every else f" for {', '.join(without)}", ", ".join(external),
                "" if every else " there, nor averaged over all tasks",
            )  # fmt: skip


def _load(backlog: Backlog, store: RunStore) -> dict[str, RunRecord]:
    """Loads the stored records of a backlog, and warns about methods whose code was changed since.

    A run whose record cannot be read is moved to `backlog.left`.
    """
    records: dict[str, RunRecord] = {}
    changed: dict[str, int] = {}
    for known in (backlog.done, backlog.failed):
        for planned in list(known):
            record = store.load(planned.run_id)
            if record is None:
                known.remove(planned)
                backlog.left.append(planned)
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


def _complete(backlog: Backlog, records: dict[str, RunRecord], metrics: Sequence[str], store: RunStore) -> None:
    """Computes metrics that stored runs lack, from their labels; a run whose labels cannot be read is left to do."""
    registry = plugin_host().registry
    keys = [metric_key(name, registry) for name in metrics]
    for planned in list(backlog.done):
        record = records[planned.run_id]
        missing = [key for key in keys if key not in record.scores]
        if not missing:
            continue
        from lcbench.records.rescoring import add_scores
        from lcbench.registry.metrics import load_metrics

        computed = load_metrics(missing, registry)
        tasks = planned.stream.tasks()
        try:
            record.labels = store.load_labels(planned.run_id)
        except RecordError as error:
            logger.warning("%s The run is made again.", error)
            backlog.done.remove(planned)
            backlog.left.append(planned)
            del records[planned.run_id]
            continue
        add_scores(record, tasks, {key: computed[key] for key in missing})
        store.save(record)


def _results(plan: Plan, records: Mapping[str, RunRecord], metrics: list[str], store: RunStore | None) -> Outcome:
    """The runs in the order of the plan; where a grid was tuned, the chosen runs and the gaps between protocols."""
    shown = [records[planned.run_id] for planned in plan if planned.run_id not in plan.searched]
    if not plan.tuned:
        return Outcome(shown, metrics)
    from lcbench.experiment.tuning import gaps, tuned_records

    tuned = tuned_records(plan, records)
    if store is not None:
        for record in tuned:
            _keep(record, store)
    searched = [records[planned.run_id] for planned in plan if planned.run_id in plan.searched]
    return Outcome([*shown, *tuned], metrics, searched=searched, gaps=gaps(plan, records, metrics))


def _keep(record: RunRecord, store: RunStore) -> None:
    """Stores a tuned run with the labels of its chosen run, unless the same is stored already."""
    before = store.load(record.run_id)
    if before is not None and all(getattr(before, name) == getattr(record, name) for name in _COMPARED):
        return
    if record.choice is not None and record.choice["run_id"] is not None:
        try:
            store.copy_labels(record.choice["run_id"], record.run_id)
        except RecordError as error:
            logger.warning("'%s' is not kept: %s", record.label, error)
            return
    store.save(record)

"""The one way from an experiment to its results: plan, look up, load data, carry out, tune.

`lcbench.run`, `lcbench run`, `lcbench reproduce`, `lcbench suite run` and `lcbench submit verify` all go it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.contract.hookspecs import hookimpl
from lcbench.contract.specs import StreamSpec
from lcbench.errors import ParameterError, RecordError
from lcbench.experiment.limits import make_limits
from lcbench.experiment.options import DASK, Experiment
from lcbench.experiment.planning import Plan, plan_experiment
from lcbench.experiment.resuming import Backlog, complete_done, expected_seconds, find_backlog, load_done
from lcbench.experiment.stream_data import check_labels_to_tune, load_data, usual_metrics, warn_about_labels
from lcbench.experiment.tuning import Gap, gaps, tuned_records
from lcbench.printable import counted
from lcbench.records import DEFAULT_FOLDER
from lcbench.records.record import OK, RunRecord
from lcbench.registry.events import Events
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import check_metrics, metric_key
from lcbench.registry.plugin_files import load_plugin_files
from lcbench.running.executor import Executor, Processes, streams_of
from lcbench.running.planned_run import PlannedRun
from lcbench.running.provenance import code_of, code_of_metrics, code_of_stream, files_of, merged, metric_files

if TYPE_CHECKING:
    from lcbench.records.store import Store

logger = logging.getLogger(__name__)
# a tuned run is stored again if one of these changed
_COMPARED = ("status", "choice", "scores", "agreement", "audit", "code", "experiments", "order_kinds")


@dataclass(frozen=True, slots=True)
class Prepared:
    """An experiment that is planned and looked up in its store, to be shown or carried out."""

    asked: Experiment
    plan: Plan
    backlog: Backlog
    store: Store | None


class Outcome:
    """The finished runs of an experiment, a sequence of run records. `metrics` names the metrics to show.

    `solos` are the runs that learned one task alone, against which transfer is measured. Where a grid was tuned it
    holds the chosen runs; `searched` are the runs they were chosen among, and `gaps` compare the rules of tuning.
    """

    def __init__(
        self,
        runs: Sequence[RunRecord],
        metrics: Sequence[str],
        *,
        solos: Sequence[RunRecord] = (),
        searched: Sequence[RunRecord] = (),
        gaps: Sequence[Gap] = (),
    ) -> None:
        self.runs = list(runs)
        self.metrics = list(metrics)
        self.solos = list(solos)
        self.searched = list(searched)
        self.gaps = list(gaps)

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[RunRecord]:
        return iter(self.runs)

    def __getitem__(self, index: int) -> RunRecord:
        return self.runs[index]

    @property
    def failed(self) -> list[RunRecord]:
        """The runs that failed, timed out or crashed, including those of `searched` and `solos`."""
        return [run for run in (*self.runs, *self.searched, *self.solos) if run.status != OK]


def prepare(asked: Experiment, *others: Experiment) -> Prepared:
    """Plans an experiment, and finds out what is left to do. Loads no data and writes nothing.

    With `others` all are planned and carried out as one: they may differ in streams, order and repeats, and have no
    tuning.
    """
    from lcbench.records.store import open_store

    load_plugin_files(asked.plugins)
    check_metrics(asked.metrics)
    plan = plan_experiment(asked)
    if others:
        plan = Plan([*plan, *(planned for other in others for planned in plan_experiment(other))])
    _warn_about_digests(plan)
    store = None if asked.results is None else open_store(asked.results)
    return Prepared(asked, plan, find_backlog(plan, store, asked), store)


def _warn_about_digests(plan: Iterable[PlannedRun]) -> None:
    """Warns about streams that a plugin registered without a digest: stored runs of other data look the same."""
    streams = {planned.stream.name: planned.stream for planned in plan}
    for name, stream in streams.items():
        if isinstance(stream.origin, StreamSpec) and not stream.digest:
            logger.warning(
                "Stream '%s' has no digest, so that stored runs are used though its data may be others by now: write "
                "digest='%s-1' into its StreamSpec, and another one when the data change.",
                name, name,
            )  # fmt: skip


def carry_out(
    prepared: Prepared,
    *,
    executor: Executor | None = None,
    listeners: Sequence[object] = (),
    announce: Callable[[Sequence[PlannedRun]], None] = lambda _: None,
) -> Outcome:
    """Does the runs that are left, and returns all runs of the experiment.

    Without an executor the jobs and limits of the experiment decide where runs are carried out. `announce` is called
    with runs right before the first of them: with those that are left, and with the solo runs of what tuning chose.
    """
    asked, plan, backlog, store = prepared.asked, prepared.plan, prepared.backlog, prepared.store
    if asked.sealed and executor is not None and not getattr(executor, "sealed", False):
        raise ParameterError(f"The executor {type(executor).__name__} cannot seal runs: leave out executor or sealed.")
    executor = executor or executor_of(prepared)
    registry = plugin_host().registry
    records = {} if store is None else load_done(backlog, store)
    with executor.started(backlog.left):
        records |= load_data(backlog)
        streams = streams_of(backlog.left)
        if store is not None and (backlog.left or plan.tuned):
            store.prepare()
        shown = list(asked.metrics) or usual_metrics(streams, records.values())
        check_labels_to_tune(streams, asked.tune)
        warn_about_labels(streams, shown)
        wanted = list(dict.fromkeys((*shown, *plan.tuning_metrics)))
        if asked.sealed:
            _warn_about_unsealed(records.values())
        events = Events(plugin_host().manager, listeners, () if store is None else (_Saving(store),))
        carry_on = partial(
            _do, asked=asked, store=store, executor=executor, metrics=wanted, events=events, announce=announce
        )
        done = carry_on(backlog, records)
        tuned = tuned_records(plan, records)
        if alone := _solos_of(tuned, plan, records):
            after = find_backlog(alone, store, asked)
            records |= {} if store is None else load_done(after, store)
            done = carry_on(after, records) or done
    keys = list(dict.fromkeys(metric_key(name, registry) for name in shown))
    outcome = _outcome(plan, records, tuned, keys, store)
    if store is not None and done:
        store.index()  # updated now, so that the next command need not wait for it
    return outcome


def _do(
    backlog: Backlog,
    records: dict[str, RunRecord],
    *,
    asked: Experiment,
    store: Store | None,
    executor: Executor,
    metrics: Sequence[str],
    events: Events,
    announce: Callable[[Sequence[PlannedRun]], None],
) -> bool:
    """Completes the stored runs of a backlog and does those that are left; adds them to `records`. True if any was."""
    if store is not None:
        complete_done(backlog, records, metrics, store)
    announce(backlog.left)
    scored_by, by_packages = metric_files(metrics), merged(code_of_metrics(metrics).values())
    codes: dict[tuple[int, int], dict[str, Any]] = {}
    for planned in backlog.left:
        key = id(planned.method), id(planned.stream)
        if key not in codes:
            packages = code_of_stream(planned.stream) | by_packages
            edits = {"files": files_of(planned), "metrics": scored_by, "packages": packages}
            codes[key] = code_of(planned.method) | {what: found for what, found in edits.items() if found}
        planned.code = codes[key]
    for record in executor.execute(backlog.left, metrics, backlog.audits(asked.audit), events):
        records[record.run_id] = record
    return bool(backlog.left)


def _solos_of(tuned: Sequence[RunRecord], plan: Plan, records: Mapping[str, RunRecord]) -> list[PlannedRun]:
    """The runs that learn each task alone with the parameters that tuning chose, unless there are records of them."""
    wanted = {each.run_id for each in plan.tuned if each.solo}
    by_id = {planned.run_id: planned for planned in plan}
    chosen = [record.choice["run_id"] for record in tuned if record.choice is not None and record.run_id in wanted]
    found = {alone.run_id: alone for run_id in chosen if run_id is not None for alone in by_id[run_id].solos()}
    return [alone for run_id, alone in found.items() if run_id not in records]


def executor_of(prepared: Prepared) -> Executor:
    """A process for each run, here or on a cluster, with the limits of the experiment; sealed off if asked for."""
    asked = prepared.asked
    limits = make_limits(asked.jobs or 1, asked.threads, asked.timeout, asked.memory_limit)
    hidden = _hidden_folders(prepared) if asked.sealed else None
    if asked.executor == DASK:
        from lcbench.running.dask_executor import DaskExecutor

        return DaskExecutor(limits, asked.scheduler, hidden)
    return Processes(limits, hidden)


def cluster_outlook(prepared: Prepared) -> str:
    """A sentence on the cluster that would carry out the runs that are left, and on the time that would take."""
    from lcbench.running.dask_executor import DaskExecutor

    executor = executor_of(prepared)
    assert isinstance(executor, DaskExecutor)
    workers, slots = executor.seen()
    seconds, unknown = expected_seconds(prepared.backlog.left, prepared.store)
    known = len(prepared.backlog.left) - unknown
    told = f"Dask: {counted(workers, 'worker')}, {counted(slots, 'run')} at a time"
    if not known:
        return f"{told}; no stored run tells how long they take"
    without = f", {unknown:,} others not counted" if unknown else ""
    return f"{told}; about {seconds / slots:,.0f} s of learning by stored runs{without}"


def _hidden_folders(prepared: Prepared) -> list[Path]:
    """The folders that a sealed method must not see: cache, the user's raw data, results, and folders of streams.

    Those that the experiment writes to are made now, as what is not there cannot be hidden.
    """
    from lcbench.data.sources.locations import cache_folder, data_folder
    from lcbench.running import sealing

    if prepared.asked.executor != DASK:  # whose workers are asked themselves
        sealing.check(sealing.bubblewrap([], []))  # before anything is made
    results = getattr(prepared.store, "folder", None)
    written = [cache_folder(), *([Path(results)] if isinstance(results, str | PathLike) else [])]
    for folder in written:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ParameterError(
                f"Runs cannot be sealed, as '{folder}', which must be hidden from them, cannot be made "
                f"({error.strerror}): name another folder, or run without --sealed."
            ) from error
    streams = {str(planned.stream.folder) for planned in prepared.plan if planned.stream.folder is not None}
    folders = [*written, data_folder(), Path(DEFAULT_FOLDER), *map(Path, sorted(streams))]
    return [folder.absolute() for folder in folders if folder is not None]


def _warn_about_unsealed(stored: Iterable[RunRecord]) -> None:
    """Warns about stored runs that are shown though they were not sealed."""
    count = sum(not record.sealed for record in stored)
    if count:
        logger.warning(
            "%s not sealed: --fresh makes %s again.",
            "A run that was stored before was" if count == 1 else f"{count:,} runs that were stored before were",
            "it" if count == 1 else "them",
        )  # fmt: skip


class _Saving:
    """Saves each run as it ends, before others hear of it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @hookimpl
    def lcbench_run_finished(self, run: RunRecord) -> None:
        self._store.save(run)


def _outcome(
    plan: Plan,
    records: dict[str, RunRecord],
    tuned: Sequence[RunRecord],
    metrics: list[str],
    store: Store | None,
) -> Outcome:
    """The runs in the order of the plan; where a grid was tuned, the chosen runs and the gaps between rules."""
    asked = [planned for planned in plan if not planned.solo]
    shown = [records[planned.run_id] for planned in asked if planned.run_id not in plan.searched]
    others = records.keys() - {planned.run_id for planned in asked}
    alone = {run_id for run in (*shown, *tuned) for run_id in run.solo_ids} if others else set()
    solos = [record for run_id, record in records.items() if run_id in others and run_id in alone]
    if not plan.tuned:
        return Outcome(shown, metrics, solos=solos)
    if store is not None:
        for record in tuned:
            _keep(record, store)
    searched = [records[planned.run_id] for planned in plan if planned.run_id in plan.searched]
    return Outcome([*shown, *tuned], metrics, solos=solos, searched=searched, gaps=gaps(plan, records, metrics))


def _keep(record: RunRecord, store: Store) -> None:
    """Stores a tuned run with the labels of its chosen run, unless the same is stored already."""
    before = store.load(record.run_id)
    if before is not None:
        record.experiments = tuple(dict.fromkeys((*before.experiments, *record.experiments)))
        kinds = (*before.order_kinds, *record.order_kinds) if before.order_kinds else ()  # 0.1 knew none
        record.order_kinds = tuple(dict.fromkeys(kinds))
    if before is not None and all(getattr(before, name) == getattr(record, name) for name in _COMPARED):
        return
    if not record.labels and record.choice is not None and record.choice["run_id"] is not None:
        try:
            record.labels = store.load_labels(record.choice["run_id"])
        except RecordError as error:
            logger.warning("'%s' is not kept: %s", record.label, error)
            return
    store.save(record)

"""Resumes an experiment: sorts planned runs by what is stored, and loads finished ones."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from lcbench.audit.verdict import MEASURE
from lcbench.errors import RecordError
from lcbench.experiment.stream_data import UNUSABLE
from lcbench.printable import counted
from lcbench.records.index import IndexEntry
from lcbench.records.record import OK, data_id, is_of_folder
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import metric_key
from lcbench.running.provenance import (
    changed_code,
    changed_packages,
    code_of,
    code_of_metrics,
    code_of_stream,
    files_of,
    merged,
    metric_files,
)

if TYPE_CHECKING:
    from lcbench.experiment.options import Experiment
    from lcbench.records.record import RunRecord
    from lcbench.records.store import Store
    from lcbench.running.planned_run import PlannedRun
    from lcbench.running.scorers import Scorers

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Backlog:
    """Planned runs, sorted into done, failed and still to do.

    `statuses` and `audited` hold, by run id, the status of every stored run and the audits it went through.
    """

    done: list[PlannedRun] = field(default_factory=list)
    failed: list[PlannedRun] = field(default_factory=list)
    left: list[PlannedRun] = field(default_factory=list)
    statuses: dict[str, str] = field(default_factory=dict)
    audited: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def summary(self) -> str:
        """A sentence that counts the runs: all of them, done, failed and still to do."""
        total = len(self.done) + len(self.failed) + len(self.left)
        failed = f", {len(self.failed):,} failed before (--retry-failed runs them again)" if self.failed else ""
        return f"{counted(total, 'run')}: {len(self.done):,} done already{failed}, {len(self.left):,} to do"

    def audits(self, asked: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The audits of each run that is left: those asked for, and those that a stored run had, so none gets lost."""
        return {
            p.run_id: tuple(dict.fromkeys((*((MEASURE,) if p.solo else asked), *self.audited.get(p.run_id, ()))))
            for p in self.left
        }


def find_backlog(plan: Iterable[PlannedRun], store: Store | None, asked: Experiment) -> Backlog:
    """Compares a plan with the stored runs; those still to do come turn by turn. Reads only the index of the store.

    Of runs whose method or stream comes from a plugin file it reads the records, too: they are done only if that file
    is still the same.

    A run is done if it ended well and went through every audit that is asked for, except `measure`, which runs of an
    older lcbench may lack. A failed run is left alone unless it is to be tried again. Runs of a method without a
    revision, such as an instance given from Python, are always still to do: its code may have changed.
    """
    backlog = Backlog()
    index = store.index() if store is not None else {}
    edited: Counter[str] = Counter()
    for planned in plan:
        known = index.get(planned.run_id)
        if known is None or not planned.method.cacheable:
            backlog.left.append(planned)
            continue
        backlog.statuses[planned.run_id] = known.status
        backlog.audited[planned.run_id] = tuple(known.audit)
        if store is not None and not asked.fresh and (names := _edited_files(planned, store)):
            edited.update(names)
            backlog.left.append(planned)
        elif known.status == OK:
            wanted = set() if planned.solo else set(asked.audit) - {MEASURE}
            again = asked.fresh or not wanted <= set(known.audit)
            (backlog.left if again else backlog.done).append(planned)
        else:
            (backlog.left if asked.fresh or asked.retry_failed else backlog.failed).append(planned)
    backlog.left.sort(key=lambda planned: planned.turn)
    for name, count in edited.items():
        are = "is" if count == 1 else "are"
        logger.warning("%s was edited: %s %s made again.", name, counted(count, "stored run"), are)
    _warn_about_changed_folders(backlog, index.values())
    return backlog


def _warn_about_changed_folders(backlog: Backlog, stored: Iterable[object]) -> None:
    """Warns about folders that have stored runs, but none on the data they hold now, or newer ones on other data."""
    streams = {planned.stream.label: planned.stream for planned in (*backlog.left, *backlog.done)}.values()
    folders = {stream.label: stream for stream in streams if is_of_folder(stream.digest)}
    by_name: dict[str, list[IndexEntry]] = {stream.name: [] for stream in folders.values()}
    for known in stored if folders else ():
        if isinstance(known, IndexEntry) and known.stream in by_name:
            by_name[known.stream].append(known)
    changed = {stream.name for stream in folders.values() if not _has(by_name[stream.name], data_id(stream.digest))}
    for name in sorted(changed):
        if by_name[name]:
            logger.warning(
                "The data of '%s' are not those of its %s: tables show the newest data, and say so.",
                name, counted(len(by_name[name]), "stored run"),
            )  # fmt: skip
    left = {planned.stream.label for planned in backlog.left}
    for label, stream in folders.items():
        same, data = [known for known in by_name[stream.name] if known.stream_label == label], data_id(stream.digest)
        if _has(same, data) and label not in left and max(same, key=lambda known: known.when).data != data:
            logger.warning(
                "The newest stored runs on '%s' are on other data than it holds now, and other commands show those: "
                "--stream %s@%s shows these.",
                label, label, data,
            )  # fmt: skip


def _has(known: Iterable[IndexEntry], data: str) -> bool:
    """True if there is a run on these data."""
    return any(each.data == data for each in known)


def expected_seconds(left: Iterable[PlannedRun], store: Store | None) -> tuple[float, int]:
    """The seconds that runs will take to learn, by stored runs of the same method on the same stream.

    Also the number of runs for which there are none; they count nothing.
    """
    times: dict[tuple[str, str, int], list[float]] = {}
    for known in (store.index() if store is not None else {}).values():
        if isinstance(known, IndexEntry) and known.status == OK:
            times.setdefault((known.method, known.stream, len(known.order)), []).append(known.learn_seconds)
    total, unknown = 0.0, 0
    for planned in left:
        found = times.get((planned.like.method, planned.like.stream, len(planned.order)))
        total += sum(found) / len(found) if found else 0.0
        unknown += not found
    return total, unknown


def _edited_files(planned: PlannedRun, store: Store) -> list[str]:
    """The names of the plugin files of a stored run that are not what they were when it was made."""
    files = files_of(planned)
    if not files:
        return []
    record = store.load(planned.run_id)
    then = {} if record is None else record.code.get("files", {})
    return [name for name, sha256 in files.items() if then.get(name) != sha256]


def load_done(backlog: Backlog, store: Store) -> dict[str, RunRecord]:
    """Loads the stored records of a backlog, and warns about methods and streams whose code was changed since.

    A run whose record cannot be read is moved to `backlog.left`.
    """
    records: dict[str, RunRecord] = {}
    changed: Counter[str] = Counter()
    changed_streams: Counter[str] = Counter()
    for known in (backlog.done, backlog.failed):
        for planned in list(known):
            record = store.load(planned.run_id)
            if record is None:
                known.remove(planned)
                backlog.left.append(planned)
                continue
            blank = planned.record
            if record.join(blank):
                _save_again(record, store)
            records[planned.run_id] = record
            changed[record.method] += changed_code(record.code, code_of(planned.method))
            changed_streams[record.stream] += changed_packages(record, code_of_stream(planned.stream))
    for method, count in (+changed).items():
        logger.warning(
            "The code of '%s' was changed since %s made, and its revision was not raised: --fresh runs it again.",
            method, "the run here was" if count == 1 else f"the {count} runs here were",
        )  # fmt: skip
    for stream, count in (+changed_streams).items():
        logger.warning(
            "The code of stream '%s' was changed since %s made, and its digest was not: --fresh runs %s again.",
            stream, *(("the run here was", "it") if count == 1 else (f"the {count} runs here were", "them")),
        )  # fmt: skip
    return records


def _save_again(record: RunRecord, store: Store) -> None:
    """Stores a run that belongs to another experiment now as well, with its labels."""
    with suppress(RecordError):  # who needs the labels says what is wrong with them
        record.labels = store.load_labels(record.run_id)
    store.save(record)


def complete_done(backlog: Backlog, records: dict[str, RunRecord], metrics: Sequence[str], store: Store) -> None:
    """Computes metrics that stored runs lack, from their labels; a run whose labels cannot be read is left to do.

    So it is with scores by a metric of a plugin file that was edited since; for one of a package there is a warning.
    Then the records get the names that the experiment has for them; those in the store stay.
    """
    registry = plugin_host().registry
    keys = [metric_key(name, registry) for name in metrics]
    files, packages = metric_files(metrics), code_of_metrics(metrics)
    edited: Counter[str] = Counter()
    unscored: Counter[str] = Counter()
    scorers: Scorers | None = None
    _warn_about_metrics([records[planned.run_id] for planned in backlog.done], {key: packages[key] for key in keys})
    for planned in list(backlog.done):
        record = records[planned.run_id]
        by = record.code.get("metrics", {})
        old = [key for key, sha256 in files.items() if key in record.scores and by.get(key) != sha256]
        missing = [*(key for key in keys if key not in record.scores), *old]
        if not missing:
            continue
        from lcbench.records.scoring import add_scores
        from lcbench.running.launching import shared_server
        from lcbench.running.scorers import Scorers

        try:
            tasks = planned.stream.tasks()
        except UNUSABLE as error:
            unscored[str(error)] += 1
            continue
        try:
            record.labels = store.load_labels(planned.run_id)
        except RecordError as error:
            logger.warning("%s The run is made again.", error)
            backlog.done.remove(planned)
            backlog.left.append(planned)
            del records[planned.run_id]
            continue
        scorers = scorers or Scorers(metrics, shared_server(planned.like.threads))
        add_scores(record, missing, partial(scorers.rows, tasks, record.order))
        if scored_now := {key: files[key] for key in missing if key in files}:
            record.code = {**record.code, "metrics": {**by, **scored_now}}
        if by_now := merged(packages[key] for key in missing):
            record.code = {**record.code, "packages": {**by_now, **record.code.get("packages", {})}}
        edited.update(old)
        store.save(record)
    for why, count in unscored.items():
        logger.warning("%s cannot be scored by %s: %s", counted(count, "stored run"), ", ".join(keys), why)
    for key, count in edited.items():
        are = "is" if count == 1 else "are"
        logger.warning(
            "The file of metric '%s' was edited: %s %s scored again.", key, counted(count, "stored run"), are
        )
    if scorers is not None:
        scorers.close()
    for planned in (*backlog.done, *backlog.failed):
        records[planned.run_id].called_as(planned.record)


def _warn_about_metrics(records: Sequence[RunRecord], packages: Mapping[str, Mapping[str, dict[str, Any]]]) -> None:
    """Warns about metrics whose code was changed since the scores of records were computed."""
    changed = {
        key: sum(key in record.scores and changed_packages(record, code) for record in records)
        for key, code in packages.items()
    }
    names = [key for key, count in changed.items() if count]
    if names:
        most = max(changed.values())
        logger.warning(
            "The code of the metric%s %s was changed since %s scored: 'lcbench results check --rescore' says if scores "
            "differ, --fresh makes runs again.",
            "s" * (len(names) > 1), ", ".join(names), "a stored run was" if most == 1 else f"{most:,} stored runs were",
        )  # fmt: skip

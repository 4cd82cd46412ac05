"""Resumes an experiment: sorts planned runs into done, failed and still to do."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lcbench.audit.verdict import MEASURE
from lcbench.printable import counted
from lcbench.records.index import IndexEntry
from lcbench.records.record import OK, data_id, is_of_folder
from lcbench.running.provenance import files_of

if TYPE_CHECKING:
    from lcbench.experiment.options import Experiment
    from lcbench.records.store import Store
    from lcbench.running.planned_run import PlannedRun

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
    _warn_about_changed_folders(backlog.left, index.values())
    return backlog


def _warn_about_changed_folders(left: Iterable[PlannedRun], stored: Iterable[object]) -> None:
    """Warns about folders that have stored runs, but none on the data that they hold now."""
    streams = {id(planned.stream): planned.stream for planned in left}.values()
    present = {stream.name: data_id(stream.digest) for stream in streams if is_of_folder(stream.digest)}
    counts = {name: Counter[str]() for name in present}
    for known in stored if present else ():
        if isinstance(known, IndexEntry) and known.stream in counts:
            counts[known.stream][known.data] += 1
    for name, data in present.items():
        if counts[name] and data not in counts[name]:
            logger.warning(
                "The data of '%s' are not those of its %s: tables show the newest data, and say so.",
                name, counted(counts[name].total(), "stored run"),
            )  # fmt: skip


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

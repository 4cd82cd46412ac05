"""Keeps runs: the Protocol `Store`, and RunStore, which keeps them in a results folder.

Another store, such as a database, is a class in a file of its own, handed to `lcbench.run(out=...)`.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from lcbench.errors import OutputError, RecordError
from lcbench.printable import MOST_NAMED
from lcbench.reading import read_regular
from lcbench.records.environments import Environments
from lcbench.records.index import Index, IndexEntry, LeftOut, read_index
from lcbench.records.record import OK, RunRecord
from lcbench.records.run_files import check_summary, pack_labels, parse_run, run_content, unpack_labels
from lcbench.writing import sweep, whole_file, write_whole

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray

logger = logging.getLogger(__name__)


class KnownRun(Protocol):
    """An entry in the index of a store: the facts that resuming needs. A RunRecord has them too."""

    @property
    def status(self) -> str:
        """The status with which the run ended."""

    @property
    def audit(self) -> Collection[str]:
        """The audits that were made."""


@dataclass(frozen=True, slots=True)
class VerifiedRun:
    """A run as its files have it: its record with its labels, None if damaged, and what is wrong with the files.

    `newer` says why only a later lcbench can read the record.
    """

    run_id: str
    record: RunRecord | None = None
    problems: tuple[str, ...] = ()
    newer: str = ""


@runtime_checkable
class Store(Protocol):
    """A place where runs are kept, by their ids."""

    def prepare(self) -> None:
        """Check, before the first run, that runs can be saved."""

    def index(self) -> Mapping[str, KnownRun]:
        """Every run that is kept, by its id."""

    def load(self, run_id: str) -> RunRecord | None:
        """The record of a run; None if there is none. Its labels may be missing."""

    def load_labels(self, run_id: str) -> list[dict[str, IntArray]]:
        """The labels of a run by step and task, as in `RunRecord.labels`; RecordError if missing or damaged."""

    def save(self, record: RunRecord) -> None:
        """Keep a run with its labels; a failed run does not replace a finished one of the same `code["files"]`."""


def open_store(where: str | PathLike[str] | Store) -> Store:
    """The store in a folder; a store is returned as it is."""
    return RunStore(Path(where)) if isinstance(where, str | PathLike) else where


class RunStore:
    """Runs under a folder: `runs/ID.json`, `labels/ID.npz`, `environments/HASH.json`, and `index.json`, a cache.

    Opening a store writes nothing. A run file that was edited or damaged is named in a warning, and its run counts as
    not done; when that is saved again, the file is moved to `damaged/`.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.environments = Environments(self.folder / "environments")
        self._prepared = False
        self._index: Index | None = None
        self._saved: dict[str, IndexEntry] = {}
        self._warned: set[str] = set()

    def run_file(self, run_id: str) -> Path:
        """The path of the record of a run."""
        return self.folder / "runs" / f"{run_id}.json"

    def labels_file(self, run_id: str) -> Path:
        """The path of the labels of a run."""
        return self.folder / "labels" / f"{run_id}.npz"

    def prepare(self) -> None:
        """Make the folders, check that they can be written, and delete temporary files of processes that died.

        A place where they cannot be written is left as it was.
        """
        import tempfile

        parts = [self.folder / name for name in ("runs", "labels", "environments")]
        made: list[Path] = []
        for part in parts:
            try:
                made += [path for path in (*reversed(part.parents), part) if not path.exists()]
                part.mkdir(parents=True, exist_ok=True)
                with tempfile.TemporaryFile(dir=part):
                    pass
            except OSError as error:
                for path in reversed(made):
                    with contextlib.suppress(OSError):
                        path.rmdir()
                raise OutputError(
                    f"Results cannot be written to '{part}' ({error.strerror}): name another folder."
                ) from error
        for part in (self.folder, *parts):
            sweep(part)
        self._prepared = True

    def save(self, record: RunRecord) -> None:
        """Write a run: labels first, so that a run file never exists without them.

        A failed run does not replace a finished one, unless a plugin file that it comes from was edited, and nothing
        replaces a file that a later lcbench wrote.
        """
        if not self._prepared:
            self.prepare()
        run_id = record.run_id
        try:
            before = self._read(run_id)
        except RecordError as error:
            if error.newer:
                logger.warning("'%s' was not replaced: %s.", self.run_file(run_id), error)
                return
            self._set_aside(run_id)
            before = None
        if record.status != OK and before is not None and before[0].status == OK and _same_files(record, before[0]):
            return
        if record.labels:
            write_whole(self.labels_file(run_id), pack_labels(record))
        environment_id = self.environments.save(record.environment)
        with whole_file(self.run_file(run_id)) as file:
            file.write(run_content(record, environment_id))
            file.flush()
            version = _version(os.fstat(file.fileno()))
        if record.status != OK and record.labels_digest is None:
            _unlink(self.labels_file(run_id))  # of an earlier attempt, which got further
        self._warned.discard(run_id)
        self._saved[run_id] = IndexEntry.of(record, environment_id, version)

    def load(self, run_id: str) -> RunRecord | None:
        """The record of a run, without its labels; None if it is not there or cannot be read."""
        try:
            found = self._read(run_id)
        except RecordError as error:
            self._warn({run_id: LeftOut(0, 0, str(error), error.newer)})
            return None
        if found is None:
            return None
        record, environment_id = found
        if environment_id is not None:
            record.environment = self.environments.load(environment_id)
        return record

    def load_labels(self, run_id: str) -> list[dict[str, IntArray]]:
        """The labels of a run by step and task, as in `RunRecord.labels`; RecordError if missing or damaged."""
        record = self.load(run_id)
        if record is None:
            raise RecordError(f"There is no run '{run_id}' in '{self.folder}'.")
        return self._labels(run_id, record)

    def _labels(self, run_id: str, record: RunRecord) -> list[dict[str, IntArray]]:
        if record.digest is None:
            return []
        file = self.labels_file(run_id)
        try:
            return unpack_labels(read_regular(file), record)
        except FileNotFoundError:
            gone = f"The labels of run '{run_id}' are missing: '{file}' is not there."
            raise RecordError(gone, missing=True) from None
        except OSError as error:
            raise RecordError(f"The labels in '{file}' cannot be read ({error.strerror}).") from error
        except RecordError as error:
            raise RecordError(f"The labels in '{file}' are damaged: {error}.") from None

    def verify(self) -> Iterator[VerifiedRun]:
        """Read the record, the labels and the environment of every run, and say what is wrong with them."""
        for run_id in sorted(run_id for run_id, _ in self._scan()):
            try:
                found = self._read(run_id)
            except RecordError as error:
                reason = str(error)
                yield VerifiedRun(run_id, newer=reason) if error.newer else VerifiedRun(run_id, problems=(reason,))
                continue
            if found is None:
                continue  # removed meanwhile
            record, environment_id = found
            problems = []
            try:
                check_summary(read_regular(self.run_file(run_id)), record)
            except (RecordError, OSError) as error:
                problems.append(str(error))
            try:
                record.labels = self._labels(run_id, record)
            except RecordError as error:
                problems.append(str(error).removesuffix("."))
            if environment_id is not None and not self.environments.load(environment_id):
                problems.append(f"'{self.environments.file(environment_id)}' is missing or damaged")
            yield VerifiedRun(run_id, record, tuple(problems))

    def remove(self, run_ids: Iterable[str]) -> list[str]:
        """Delete runs, their labels, and environments that no run refers to any more; return the ids that existed."""
        removed = []
        try:
            for run_id in dict.fromkeys(run_ids):
                if _unlink(self.run_file(run_id)):
                    removed.append(run_id)
                _unlink(self.labels_file(run_id))
            index = self.index()
            if len(index) == sum(1 for _ in self._scan()):  # an unreadable file may refer to any environment
                self.environments.remove_others({entry.environment for entry in index.values()})
        except OSError as error:
            raise OutputError(f"'{error.filename}' could not be removed ({error.strerror}).") from error
        return removed

    def index(self) -> Index:
        """The index of the runs that are in the folder now; only new and changed files are read."""
        known = self._index if self._index is not None else read_index(self._index_file)
        entries: dict[str, IndexEntry] = {}
        left_out: dict[str, LeftOut] = {}
        changed = False
        for run_id, stat in self._scan():
            before = known.get(run_id) or known.left_out.get(run_id)
            entry = self._saved.get(run_id) or before
            seen = entry is not None and (entry.modified_ns, entry.size) == _version(stat)
            if not seen or (isinstance(entry, LeftOut) and not entry.newer):  # plugins say which scores there can be
                entry = self._entry(run_id, stat)
            changed = changed or (entry is not before and entry != before)
            if isinstance(entry, LeftOut):
                left_out[run_id] = entry
            elif entry is not None:
                entries[run_id] = entry
        self._warn(left_out)
        changed = changed or len(entries) != len(known) or len(left_out) != len(known.left_out)
        self._index = Index(entries, left_out)
        self._saved.clear()
        if changed:
            with contextlib.suppress(OutputError):  # the folder may be read-only
                write_whole(self._index_file, self._index.to_bytes())
        return self._index

    def _entry(self, run_id: str, stat: os.stat_result) -> IndexEntry | LeftOut | None:
        """The entry of a run file for the index; None if it is missing."""
        try:
            found = self._read(run_id)
        except RecordError as error:
            return LeftOut(*_version(stat), str(error), error.newer)
        return None if found is None else IndexEntry.of(*found, _version(stat))

    @property
    def _index_file(self) -> Path:
        return self.folder / "index.json"

    def _scan(self) -> Iterator[tuple[str, os.stat_result]]:
        """The run id and the file status of every run file."""
        try:
            with os.scandir(self.folder / "runs") as found:
                for entry in found:
                    if entry.name.endswith(".json") and not entry.name.startswith(".") and entry.is_file():
                        try:
                            stat = entry.stat()
                        except FileNotFoundError:  # deleted meanwhile
                            continue
                        yield entry.name.removesuffix(".json"), stat
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise OutputError(f"The results in '{self.folder}' cannot be read ({error.strerror}).") from error

    def _read(self, run_id: str) -> tuple[RunRecord, str | None] | None:
        """A record and the hash of its environment; None if missing, RecordError if damaged or of a later schema."""
        file = self.run_file(run_id)
        if file.name != f"{run_id}.json":  # the id has a path in it, which could lead out of the folder
            return None
        try:
            return parse_run(read_regular(file), run_id)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise RecordError(f"it cannot be read: {error.strerror}") from error

    def _set_aside(self, run_id: str) -> None:
        """Move a damaged run file and its labels to `damaged`, overwriting nothing there."""
        file, aside = self.run_file(run_id), self.folder / "damaged"
        try:
            aside.mkdir(exist_ok=True)
            for number in count(1):
                stem = run_id if number == 1 else f"{run_id}.{number}"
                new_file, new_labels = aside / f"{stem}.json", aside / f"{stem}.npz"
                if not new_file.exists() and not new_labels.exists():
                    break
            file.rename(new_file)
            with contextlib.suppress(FileNotFoundError):
                self.labels_file(run_id).rename(new_labels)
        except FileNotFoundError:
            return  # another process moved it
        except OSError as error:
            logger.warning("'%s', which is damaged, could not be moved (%s): it is replaced.", file, error.strerror)
        else:
            logger.info("'%s', which was damaged, was moved to '%s'.", file, new_file)

    def _warn(self, left_out: Mapping[str, LeftOut]) -> None:
        """Warn of files that cannot be used, each once."""
        fresh = {run_id: file for run_id, file in left_out.items() if run_id not in self._warned}
        self._warned.update(fresh)
        newer = {run_id: file.reason for run_id, file in sorted(fresh.items()) if file.newer}
        damaged = {run_id: file.reason for run_id, file in sorted(fresh.items()) if not file.newer}
        if newer:
            names = [f"'{self.run_file(run_id)}'" for run_id in newer]
            more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
            files, reason = ", ".join(names[:MOST_NAMED]), next(iter(newer.values()))
            logger.warning("Left alone and not read: %s%s (%s).", files, more, reason)
        for run_id in list(damaged)[:MOST_NAMED]:
            logger.warning(
                "'%s' is damaged (%s): it is left out, and 'lcbench run' makes its run again.",
                self.run_file(run_id), damaged[run_id],
            )  # fmt: skip
        if len(damaged) > MOST_NAMED:
            logger.warning("%s more are damaged: 'lcbench results check' names all.", len(damaged) - MOST_NAMED)


def _version(stat: os.stat_result) -> tuple[int, int]:
    """The time in nanoseconds and the size of a file, which show if it was changed."""
    return stat.st_mtime_ns, stat.st_size


def _same_files(one: RunRecord, other: RunRecord) -> bool:
    return bool(one.code.get("files") == other.code.get("files"))


def _unlink(file: Path) -> bool:
    """Delete a file; False if it did not exist."""
    try:
        file.unlink()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True

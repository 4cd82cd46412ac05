"""The index of a results folder: one file with key facts, to list runs quickly."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from lcbench.reading import read_regular
from lcbench.records.formulas import average_after_all
from lcbench.records.record import OK, SCHEMA, RunRecord, data_id

VERSION = 2


class IndexEntry(NamedTuple):
    """Key facts of a run, with the time and size of the file that they were read from.

    `data` is a short id of the stream's content, `learn_seconds` the sum over all tasks, `after_all` the average after
    all tasks by metric, `audit` the audits that were made, `environment` the hash of the facts about the machine,
    `kinds` are the kinds of orders and `experiments` the named experiments that the run belongs to. `verified` is False
    if an older lcbench wrote the run, without a checksum.
    """

    modified_ns: int
    size: int
    status: str
    method: str
    label: str
    params: dict[str, Any]
    stream: str
    stream_label: str
    data: str
    order: tuple[str, ...]
    seed: int
    repeat: int
    tune: str
    finished: str | None
    learn_seconds: float
    after_all: dict[str, float | None]
    audit: tuple[str, ...]
    environment: str | None
    kinds: tuple[str, ...]
    experiments: tuple[str, ...]
    verified: bool

    @classmethod
    def of(cls, record: RunRecord, environment: str | None, version: tuple[int, int]) -> IndexEntry:
        """The entry of a record, with the time and the size of its file."""
        return cls(
            *version, status=record.status,
            method=record.method, label=record.label or record.method, params=record.params,
            stream=record.stream, stream_label=record.stream_label or record.stream,
            data=data_id(record.stream_digest), order=record.order,
            seed=record.seed, repeat=record.repeat, tune=record.tune["protocol"], finished=record.finished,
            learn_seconds=float(sum(record.learn_seconds)),
            after_all={m: average_after_all(R) for m, R in record.scores.items()} if record.status == OK else {},
            audit=tuple(sorted(record.audit)), environment=environment, kinds=record.order_kinds,
            experiments=record.experiments, verified=record.verified,
        )  # fmt: skip

    @property
    def when(self) -> datetime:
        """The time when the run ended, or else when its file was written."""
        if self.finished is not None:
            try:
                return datetime.fromisoformat(self.finished).astimezone(UTC)
            except (ValueError, OverflowError):
                pass
        return datetime.fromtimestamp(self.modified_ns / 1e9, UTC)


_TUPLES = [IndexEntry._fields.index(name) for name in ("order", "audit", "kinds", "experiments")]


class LeftOut(NamedTuple):
    """A run file that cannot be used: its time, its size and the reason; `newer` if a later lcbench can read it."""

    modified_ns: int
    size: int
    reason: str
    newer: bool


class Index(Mapping[str, IndexEntry]):
    """Run id -> entry. `left_out` has the files that cannot be used, by the ids in their names."""

    def __init__(self, entries: dict[str, IndexEntry], left_out: dict[str, LeftOut]) -> None:
        self._entries = entries
        self.left_out = left_out

    @property
    def damaged(self) -> dict[str, str]:
        """The ids of runs whose files were edited or damaged, with the reason."""
        return {run_id: file.reason for run_id, file in self.left_out.items() if not file.newer}

    def __getitem__(self, run_id: str) -> IndexEntry:
        return self._entries[run_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def newest_first(self) -> list[tuple[str, IndexEntry]]:
        """Ids and entries, sorted by the end of the runs, then by the time of their files; the latest comes first."""
        return sorted(self.items(), key=lambda item: (item[1].when, item[1].modified_ns, item[0]), reverse=True)

    def starting_with(self, prefix: str) -> list[str]:
        """The ids that start with `prefix`, those of damaged files too."""
        return sorted(run_id for run_id in (*self, *self.damaged) if run_id.startswith(prefix))

    def to_bytes(self) -> bytes:
        """The content of the file: a header line with version and hash, then a line with all entries."""
        body = json.dumps({"runs": self._entries, "left_out": self.left_out}, separators=(",", ":")).encode()
        return json.dumps(_header(body)).encode() + b"\n" + body

    @classmethod
    def from_bytes(cls, content: bytes) -> Index:
        """The index in a file; ValueError if it is damaged or was written by another version."""
        head, _, body = content.partition(b"\n")
        if json.loads(head) != _header(body):
            raise ValueError("not an index of this version")
        values = json.loads(body)
        left_out = {run_id: LeftOut(*row) for run_id, row in values["left_out"].items()}
        return cls({run_id: _entry(row) for run_id, row in values["runs"].items()}, left_out)


def read_index(file: Path) -> Index:
    """The index in `file`; an empty one if it is missing, damaged or of another version."""
    try:
        return Index.from_bytes(read_regular(file))
    except (OSError, ValueError, RecursionError):
        return Index({}, {})


def _entry(row: list[Any]) -> IndexEntry:
    for i in _TUPLES:
        row[i] = tuple(row[i])
    return IndexEntry._make(row)


def _header(body: bytes) -> dict[str, Any]:
    fields = [*IndexEntry._fields]
    return {"index": VERSION, "schema": SCHEMA, "fields": fields, "sha256": hashlib.sha256(body).hexdigest()}

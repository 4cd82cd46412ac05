"""Scores stored runs again from their labels, and compares that with their records."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from lcbench.contract.hashing import canonical_json
from lcbench.errors import DataUnavailableError, LcbenchError, error_text
from lcbench.experiment.resolving import configured_streams
from lcbench.printable import counted
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import metric_spec
from lcbench.registry.names import format_entry, parse_stream_entry

if TYPE_CHECKING:
    from lcbench.contract.task import LabelledTask
    from lcbench.records.record import RunRecord
    from lcbench.running.planned_run import ConfiguredStream
    from lcbench.running.scorers import Scorers

TOLERANCE = 1e-9
Matrix = Sequence[Sequence[float | None]]


class NotRescoredError(Exception):
    """Scores that cannot be computed again; the message says why."""


class Rescoring:
    """Scores labels again, in scoring processes as runs do; each stream is made once. `count` counts the scores."""

    def __init__(self) -> None:
        self.count = 0
        self._streams: dict[str, Sequence[LabelledTask] | str] = {}
        self._scorers: dict[tuple[str, ...], Scorers] = {}

    def __enter__(self) -> Rescoring:
        return self

    def __exit__(self, *_: object) -> None:
        for scorers in self._scorers.values():
            scorers.close()

    def differences(self, record: RunRecord) -> Iterator[str]:
        """A sentence for each metric of a record, which has its labels, whose scores are not those of the labels.

        Raises NotRescoredError if the data of the stream are not available, or, after the rest, if a metric is not.
        """
        from lcbench.records.scoring import add_scores, agreement_matrix, largest_shares

        found = record.agreement, [record.largest]
        again = agreement_matrix(record.order, record.labels), [largest_shares(record.order, record.labels[-1])]
        for name, stored, computed in zip(("agreement", "largest share"), found, again, strict=True):
            if any(stored):  # older files have none
                yield from _difference(name, record, stored, computed)
        if not record.scores:
            return
        tasks = self._tasks(record)
        keys = [key for key in record.scores if metric_spec(key) is not None]
        scorers = self._scorers_of(keys, record.threads)
        rescored = replace(record, scores={})
        add_scores(rescored, keys, partial(scorers.rows, tasks, record.order))
        for key in keys:
            self.count += sum(cell is not None for row in rescored.scores[key] for cell in row)
            yield from _difference(key, record, record.scores[key], rescored.scores[key])
        gone = [key for key in record.scores if key not in keys]
        if gone:
            raise NotRescoredError(f"{', '.join(gone)} is not installed here")

    def as_one_cluster(self, record: RunRecord, metrics: Sequence[str]) -> RunRecord:
        """The run of a record as if each of its tasks had been put into one cluster, scored by these metrics.

        Raises NotRescoredError if the data of the stream are not available.
        """
        import numpy as np

        from lcbench.records.scoring import add_scores

        tasks = self._tasks(record)
        labels = {task.name: np.zeros(task.task.X.shape[0], dtype=np.int64) for task in tasks}
        steps = [{name: labels[name] for name in record.order[: i + 1]} for i in range(len(record.order))]
        made = replace(record.blank(), labels=steps)
        add_scores(made, metrics, partial(self._scorers_of(metrics, record.threads).rows, tasks, record.order))
        made.labels = []
        return made

    def _scorers_of(self, keys: Sequence[str], threads: int) -> Scorers:
        from lcbench.running.launching import shared_server
        from lcbench.running.scorers import Scorers

        wanted = tuple(sorted(keys))
        if wanted not in self._scorers:
            self._scorers[wanted] = Scorers(wanted, shared_server(threads))
        return self._scorers[wanted]

    def _tasks(self, record: RunRecord) -> Sequence[LabelledTask]:
        key = _identity_then(record)
        if key not in self._streams:
            try:
                self._streams[key] = _make_tasks(record)
            except NotRescoredError as error:
                self._streams[key] = str(error)
        tasks = self._streams[key]
        if isinstance(tasks, str):
            raise NotRescoredError(tasks)
        return tasks


def _make_tasks(record: RunRecord) -> Sequence[LabelledTask]:
    """The tasks of the stream of a record, by its name or by the folder that its command names."""
    called = f"stream '{record.stream_label or record.stream}'"
    try:
        found = [stream for text in _texts(record) for stream in configured_streams(text)]
        same = [stream for stream in found if _identity(stream) == _identity_then(record)]
        if same:
            return same[0].tasks()
    except DataUnavailableError:
        raise NotRescoredError(f"the data of {called} are not available") from None
    except LcbenchError as error:
        raise NotRescoredError(f"{called} cannot be made: {error}") from None
    except (Exception, SystemExit) as error:  # the code of a plugin may raise anything
        raise NotRescoredError(f"{called} cannot be made: {type(error).__name__}: {error_text(error)}") from None
    raise NotRescoredError(f"the data of {called} are others by now" if found else f"{called} is not known here")


def _texts(record: RunRecord) -> Iterator[str]:
    """The stream of a record as a user would type it."""
    if record.stream in plugin_host().registry.streams:
        yield format_entry(record.stream, record.stream_params)
        return
    words = shlex.split(record.command)
    yield from (value for option, value in pairwise(words) if option == "--stream" and _is_there(value))


def _is_there(text: str) -> bool:
    entry = parse_stream_entry(text)
    return entry.is_path and Path(entry.name).expanduser().is_dir()


def _identity(stream: ConfiguredStream) -> str:
    return canonical_json([stream.name, stream.params, stream.digest])


def _identity_then(record: RunRecord) -> str:
    return canonical_json([record.stream, record.stream_params, record.stream_digest])


def _difference(name: str, record: RunRecord, stored: Matrix, again: Matrix) -> Iterator[str]:
    """A sentence on the first cell that differs, with the number of those that do; nothing if none does."""
    cells = [
        (i, j, cell, other)
        for i, rows in enumerate(zip_longest(stored, again, fillvalue=()))
        for j, (cell, other) in enumerate(zip_longest(*rows))
    ]
    differ = [each for each in cells if not _same(each[2], each[3])]
    if differ:
        i, j, cell, other = differ[0]
        when = counted(i + 1, "task") if len(stored) > 1 else "all tasks"
        more = f", and {len(differ) - 1} more" if len(differ) > 1 else ""
        yield (
            f"{name} of task '{record.order[j]}' after {when} is {_shown(cell)}, and the labels give "
            f"{_shown(other)}{more}"
        )


def _same(one: float | None, other: float | None) -> bool:
    return one is other if one is None or other is None else abs(one - other) <= TOLERANCE


def _shown(cell: float | None) -> str:
    return "missing" if cell is None else f"{cell:.12g}"

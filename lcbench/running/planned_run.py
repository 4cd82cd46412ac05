"""A planned run, and its method and stream with parameters, built when needed."""

from __future__ import annotations

import logging
import pickle
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.contract.hashing import method_seed
from lcbench.contract.specs import CONTENT, MethodSpec, StreamSpec
from lcbench.data.stream_lookup import tasks_of
from lcbench.data.weak_tasks import weaknesses
from lcbench.errors import DataRefusedError, StreamError
from lcbench.reading import is_there
from lcbench.records.record import RunRecord

if TYPE_CHECKING:
    from lcbench.contract.clusterer import Clusterer
    from lcbench.contract.stream import TaskStream
    from lcbench.contract.task import LabelledTask
    from lcbench.running.assignment import Assignment

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class ConfiguredMethod:
    """A method with its parameters. `make` builds a fresh instance, `origin` is its spec or its class.

    `blame` says in error messages whose fault it is, `written` names the parameters that the user set, `alias` is the
    user's name for it. If it is not `cacheable` its stored runs are not used: its code may have changed unnoticed.
    """

    name: str
    label: str
    params: dict[str, Any]
    revision: int
    setting: str
    make: Callable[[], Clusterer]
    origin: object
    blame: str
    note: str = ""
    baseline: ConfiguredMethod | None = None
    written: tuple[str, ...] = ()
    alias: str | None = None
    cacheable: bool = True

    @property
    def identity(self) -> tuple[Any, ...]:
        """The key of this method in records: its name and parameters."""
        return self.name, frozen(self.params)

    def make_elsewhere(self) -> Callable[[], Clusterer]:
        """`make` for a process in another folder: a text parameter that names a file or folder is made absolute."""
        if not isinstance(self.origin, MethodSpec):
            return _instance_elsewhere(self.make)
        free = {param.name for param in self.origin.params if param.type is str and not param.choices}
        params = {name: _absolute(value) if name in free else value for name, value in self.params.items()}
        if params == self.params or not isinstance(self.make, partial):
            return self.make
        factory, _, source = self.make.args
        return partial(self.make.func, factory, params, source)


def _instance_elsewhere(make: Callable[[], Clusterer]) -> Callable[[], Clusterer]:
    try:
        method = make()
        params = method.get_params(deep=False)
    except Exception:  # who builds the method in its process says what is wrong with it
        return make
    places = {name: found for name, value in params.items() if (found := _absolute(value)) is not value}
    if not places:
        return make
    from sklearn.base import clone

    return partial(clone, method.set_params(**places))


def _absolute(value: Any) -> Any:
    """The value; if it is a relative path to something that is there, the absolute one."""
    if not isinstance(value, str | Path) or not str(value) or Path(value).is_absolute() or not is_there(value):
        return value
    return type(value)(Path(value).absolute())


@dataclass(slots=True, eq=False)
class ConfiguredStream:
    """A stream with its parameters; its data are loaded once, when first needed.

    `folder` is the user's own, if any; otherwise `blame` says in error messages whose stream it is.
    """

    name: str
    label: str
    params: dict[str, Any]
    digest: str
    task_names: tuple[str, ...]
    make: Callable[[], TaskStream]
    origin: object
    folder: Path | None = None
    blame: str = ""
    _tasks: tuple[LabelledTask, ...] | None = field(default=None, repr=False)

    @property
    def identity(self) -> tuple[Any, ...]:
        """The key of this stream in records: its name, parameters and digest."""
        return self.name, frozen(self.params), self.digest

    def tasks(self) -> tuple[LabelledTask, ...]:
        """The stream's tasks; StreamError if they cannot be made, or if their names are not those registered."""
        if self._tasks is None:
            tasks = tasks_of(self.name, self.make, self.blame)
            if tuple(t.name for t in tasks) != self.task_names:
                whose = f" of {self.blame}" if self.blame else ""
                raise StreamError(
                    f"Stream '{self.name}'{whose} was registered with the tasks {', '.join(self.task_names)} but made "
                    f"{', '.join(t.name for t in tasks)}."
                )
            self._check_content(tasks)
            for sentence in weaknesses(tasks):
                logger.warning("Stream '%s': %s", self.name, sentence)
            self._tasks = tasks
        return self._tasks

    def _check_content(self, tasks: tuple[LabelledTask, ...]) -> None:
        """Raises DataRefusedError if the digest pins the content of the tasks, and they have another."""
        from lcbench.contract.stream import content_digest

        if not isinstance(self.origin, StreamSpec) or not self.digest.startswith(CONTENT):
            return
        if self.params != {param.name: param.default for param in self.origin.params}:
            return  # the content is pinned for the defaults alone
        found = CONTENT + content_digest(tasks)
        if found != self.digest:
            raise DataRefusedError(
                f"The data of stream '{self.name}' are not those of its digest: if they were changed on purpose, write "
                f"digest={found!r} into its StreamSpec."
            )


@dataclass(slots=True, eq=False)
class PlannedRun:
    """A run still to be done. It can be pickled.

    An experiment may have a million of them, so each holds only what is its own: `like` is a record of what the runs
    of its method on its stream have in common. `code` is noted before it starts. Runs are carried out by `turn`: all
    methods on one order of the tasks before any of them on the next. A `solo` run learns one task alone, only so that
    runs that learn it among others can be measured against it.
    """

    like: RunRecord
    method: ConfiguredMethod
    stream: ConfiguredStream
    order: tuple[str, ...]
    repeat: int
    run_id: str
    turn: int = 0
    baseline: str | None = None
    solo: bool = False
    code: dict[str, Any] | None = None

    @property
    def record(self) -> RunRecord:
        """A record of this run without results, made anew each time."""
        record = self.like.blank()
        record.order, record.repeat, record.baseline = self.order, self.repeat, self.baseline
        record.code = dict(self.code or {})
        return record

    def solos(self) -> list[PlannedRun]:
        """The runs in which the same method learns each task of this run alone; none if it always does."""
        record = self.record
        return [
            PlannedRun(record.solo(task), self.method, self.stream, (task,), self.repeat, run_id, self.turn, solo=True)
            for run_id, task in zip(record.solo_ids, self.order, strict=False)
        ]

    def assignment(self) -> Assignment:
        """All that the process of this run is told; loads the data of the stream."""
        from lcbench.running.assignment import Assignment

        record, names = self.record, self.stream.task_names
        return Assignment(
            make=pickle.dumps(self.method.make_elsewhere()),
            label=record.label,
            blame=self.method.blame,
            order=record.order,
            places=tuple(names.index(name) for name in record.order),
            sizes=tuple(labelled.task.n_samples for labelled in self.stream.tasks()),
            seed=method_seed(record.seed, record.stream, record.order, record.method, record.repeat),
            threads=record.threads,
            evaluate=record.evaluate,
            future=record.future,
        )

    @property
    def can_be_sent(self) -> bool:
        """True if another process can build the method: it must be able to import its class."""
        if self.method.cacheable:
            return True
        if not _is_importable(getattr(self.method.origin, "__module__", "__main__")):
            return False
        try:
            pickle.dumps(self.method.make)
        except Exception:  # an object's own pickling may raise anything
            return False
        return True


def _is_importable(module: str) -> bool:
    """True if another process could find the package of a module; it may be loaded here and still be on no path."""
    top = module.partition(".")[0]
    return top != "__main__" and any(finder.find_spec(top, None) is not None for finder in sys.meta_path)


def frozen(params: Mapping[str, Any]) -> tuple[Any, ...]:
    """`params` as a tuple that can be a dictionary key; parameters of one method or stream always come in one order."""
    return tuple([(key, _frozen_list(value) if isinstance(value, list) else value) for key, value in params.items()])


def _frozen_list(values: list[Any]) -> tuple[Any, ...]:
    return tuple([_frozen_list(value) if isinstance(value, list) else value for value in values])

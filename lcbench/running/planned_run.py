"""What the user asked for, resolved: methods and streams with their parameters, built when their turn comes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lcbench.errors import PluginError
from lcbench.records.record import RunRecord

if TYPE_CHECKING:
    from lcbench.contract.clusterer import Clusterer
    from lcbench.contract.stream import TaskStream
    from lcbench.contract.task import IntArray, LabelledTask

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class ConfiguredMethod:
    """A method with its parameters. `make` builds a fresh one, `origin` is its spec or class, `blame` its author.

    `written` names the parameters that the user set, `alias` is the name they gave it. What is not `cacheable` may have
    changed since it was last run without anything that says so.
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
        """What a record knows this method by."""
        return self.name, frozen(self.params)

    def build(self, seed: int) -> Clusterer:
        """A fresh method; its `random_state`, if it has one, is `seed`."""
        method = self.make()
        if "random_state" in method.get_params(deep=False):
            method.set_params(random_state=seed)
        return method


@dataclass(slots=True, eq=False)
class ConfiguredStream:
    """A stream with its parameters. The data are loaded once, when they are first needed."""

    name: str
    label: str
    params: dict[str, Any]
    digest: str
    task_names: tuple[str, ...]
    make: Callable[[], TaskStream]
    origin: object
    _tasks: tuple[LabelledTask, ...] | None = field(default=None, repr=False)

    @property
    def identity(self) -> tuple[Any, ...]:
        """What a record knows this stream by."""
        return self.name, frozen(self.params), self.digest

    def tasks(self) -> tuple[LabelledTask, ...]:
        """The stream's tasks, checked against what was said about them."""
        if self._tasks is None:
            from lcbench.contract.stream import check_tasks

            tasks = check_tasks(self.name, self.make().tasks())
            if tuple(t.name for t in tasks) != self.task_names:
                raise PluginError(
                    f"Stream '{self.name}' was registered with the tasks {', '.join(self.task_names)} but made "
                    f"{', '.join(t.name for t in tasks)}."
                )
            _warn_about(self.name, tasks)
            self._tasks = tasks
        return self._tasks


def frozen(params: Mapping[str, Any]) -> tuple[Any, ...]:
    """`params` as something that can be a key. One method or stream always has them in the same order."""
    return tuple([(key, _frozen_list(value) if isinstance(value, list) else value) for key, value in params.items()])


def _frozen_list(values: list[Any]) -> tuple[Any, ...]:
    return tuple([_frozen_list(value) if isinstance(value, list) else value for value in values])


def unlabelled(tasks: Iterable[LabelledTask]) -> list[str]:
    """The names of the tasks that have no true classes to compare with."""
    return [labelled.name for labelled in tasks if labelled.y is None]


def _warn_about(stream: str, tasks: tuple[LabelledTask, ...]) -> None:
    """Say what is allowed but makes a task say little."""
    for labelled in tasks:
        task = labelled.task
        zeros = task.zero_rows
        if zeros:
            logger.warning(
                "Stream '%s': %d of the %d rows of task '%s' are all zero; they look alike to every method and end up "
                "in whatever cluster takes them.",
                stream, zeros, task.n_samples, task.name,
            )  # fmt: skip
        if labelled.y is not None and _comes_in_blocks(labelled.y):
            logger.warning(
                "Stream '%s': the rows of task '%s' are sorted by class, which a method could use: shuffle them.",
                stream, task.name,
            )  # fmt: skip
        if task.n_clusters == 1:
            logger.warning(
                "Stream '%s': task '%s' has one cluster: there is nothing to find in it and its scores say nothing.",
                stream, task.name,
            )  # fmt: skip


def _comes_in_blocks(y: IntArray) -> bool:
    """Whether all samples of a class stand together; of a handful that says nothing."""
    classes = int(y.max()) + 1
    changes = int((y[1:] != y[:-1]).sum())
    return 1 < classes == changes + 1 and len(y) >= 5 * classes


@dataclass(frozen=True, slots=True, eq=False)
class PlannedRun:
    """A run that is still to be done: its empty record, and what it is made from. It pickles."""

    record: RunRecord
    method: ConfiguredMethod
    stream: ConfiguredStream
    run_id: str = ""

    def __post_init__(self) -> None:
        if not self.run_id:
            object.__setattr__(self, "run_id", self.record.run_id)

"""Subjects of checks: a method, stream or metric, given by name or as an instance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from sklearn.base import clone

from lcbench.contract.clusterer import OUTPUTS, Clusterer
from lcbench.contract.metric import Metric
from lcbench.contract.specs import MethodSpec, MetricSpec, Params, StreamSpec
from lcbench.contract.stream import TaskStream
from lcbench.contract.task import IntArray, LabelledTask, Task
from lcbench.errors import ParameterError, UnsuitableTaskError
from lcbench.registry.building import build_method, build_metric, load_factory, resolve
from lcbench.registry.host import plugin_host
from lcbench.registry.names import parse_stream_entry
from lcbench.testing.checks import SkippedError
from lcbench.testing.example_tasks import as_sparse, far_groups


@dataclass(eq=False)
class MethodSubject:
    """A method to be checked. `given` is the name or instance, as `lcbench.run` takes it; `tasks` are its author's."""

    label: str
    given: Any
    build: Callable[[], Any]
    spec: MethodSpec | None = None
    tasks: Sequence[Task] | None = None
    kind: str = field(default="method", init=False)

    def __str__(self) -> str:
        return self.label

    @property
    def streams(self) -> list[Sequence[Task]]:
        """The author's tasks, or small dense and sparse ones."""
        return [self.tasks] if self.tasks is not None else [far_groups(), as_sparse(far_groups())]

    def fresh(self) -> Any:
        """A copy of the method that has learned nothing, with its seed set as in a run."""
        built = self.build()
        return built.set_params(random_state=0) if "random_state" in built.get_params(deep=False) else built

    def learned(self, tasks: Sequence[Task]) -> tuple[Any, list[Task]]:
        """A fresh copy that has learned `tasks`, and those of them that it did not refuse."""
        fresh = self.fresh()
        return fresh, [task for task, _ in learning(fresh, tasks)]

    def labels(self, tasks: Iterable[Task]) -> dict[str, IntArray]:
        """The labels that a fresh copy gives each task when it learns it, without those that it refuses."""
        fresh = self.fresh()
        return {task.name: np.asarray(fresh.labels_).copy() for task, _ in learning(fresh, tasks)}

    def learn_and_predict(self, tasks: Sequence[Task]) -> None:
        """Have a fresh copy learn the tasks and predict those that it does not refuse."""
        fresh, accepted = self.learned(tasks)
        for task in accepted:
            fresh.predict(task)

    @cached_property
    def taken(self) -> Sequence[Task] | None:
        """The first of the streams of which it refuses no task; None if there is none."""
        return next((tasks for tasks in self.streams if len(self.learned(tasks)[1]) == len(tasks)), None)

    @cached_property
    def name(self) -> str:
        """The name of its class."""
        return type(self.build()).__name__


def learning(method: Any, tasks: Iterable[Task]) -> Iterator[tuple[Task, Any]]:
    """Hands over the tasks one by one; yields each that was not refused, with what `partial_fit` returned."""
    for task in tasks:
        for name in OUTPUTS:  # labels of the task before must not pass for this one's
            vars(method).pop(name, None)
        try:
            returned = method.partial_fit(task)
        except UnsuitableTaskError:
            continue
        yield task, returned


@dataclass(eq=False)
class StreamSubject:
    """A stream to be checked; `spec` and `params` are those it was registered with, None for an instance."""

    label: str
    build: Callable[..., TaskStream]
    spec: StreamSpec | None = None
    params: Params = field(default_factory=dict)
    kind: str = field(default="stream", init=False)

    def __str__(self) -> str:
        return self.label

    @cached_property
    def tasks(self) -> tuple[LabelledTask, ...]:
        """The tasks, built once."""
        return self.build().tasks()

    def with_params(self, **changed: Any) -> StreamSubject:
        """The same registered stream with other parameters."""
        assert isinstance(self.build, partial)
        function, (spec, params, source) = self.build.func, self.build.args
        params = {**params, **changed}
        return StreamSubject(self.label, partial(function, spec, params, source), self.spec, params)


@dataclass(eq=False)
class MetricSubject:
    """A metric to be checked; `known` are classes, clusters and the score that they must have."""

    label: str
    build: Callable[[], Metric]
    spec: MetricSpec | None = None
    known: Sequence[tuple[Any, Any, float]] = ()
    kind: str = field(default="metric", init=False)

    def __str__(self) -> str:
        return self.label

    @cached_property
    def metric(self) -> Any:
        """The metric, built once."""
        return self.build()


Subject = MethodSubject | StreamSubject | MetricSubject


def subjects_of(given: Any) -> list[Subject]:
    """The subjects that a name, an instance or a class stands for; a name may be that of a method and of a stream."""
    if isinstance(given, str):
        return _named(given)
    if isinstance(given, type) and issubclass(given, Clusterer | TaskStream | Metric):
        given = given()
    if isinstance(given, Clusterer):
        return [MethodSubject(_instance_label(given), given, partial(_copied, given))]
    if isinstance(given, TaskStream):
        return [StreamSubject(given.name, lambda: given)]
    if isinstance(given, Metric):
        return [MetricSubject(type(given).__name__, lambda: given)]
    raise ParameterError(f"{given!r} is no method, stream or metric: give a name, an instance or a class of one.")


def spec_of(subject: Subject) -> Any:
    """The spec of a subject; SkippedError if it has none."""
    if subject.spec is None:
        raise SkippedError("it was given as an instance and has no spec")
    return subject.spec


def agrees_with_spec(subject: Subject, differences: Callable[[Any, Any], list[str]]) -> None:
    """AssertionError with what differs between the spec of a subject and its factory; SkippedError without a spec."""
    spec = spec_of(subject)
    found = differences(spec, load_factory(spec.factory))
    assert not found, f"{subject}: {'; '.join(found)}."


def _copied(method: Clusterer) -> Clusterer:
    """A clone of a method or, where its constructor breaks the contract, a copy."""
    try:
        cloned: Clusterer = clone(method)
    except (AttributeError, RuntimeError, TypeError):
        return deepcopy(method)
    return cloned


def _instance_label(method: Clusterer) -> str:
    try:
        return repr(method)
    except Exception:  # a constructor that does not store has no repr
        return type(method).__name__


def _named(name: str) -> list[Subject]:
    from lcbench.data.stream_lookup import built_stream, stream_params, stream_spec
    from lcbench.data.transforms import TRANSFORM

    registry, entry = plugin_host().registry, parse_stream_entry(name)
    kinds = ["stream"] if entry.is_path else [catalogue.kind for catalogue in registry.holding(entry.name)]
    found: list[Subject] = []
    if "method" in kinds:
        method, params = resolve(registry.methods, name, {})
        source = registry.methods.source(method.name)
        found.append(MethodSubject(name, name, partial(build_method, method.factory, params, source), method))
    if "stream" in kinds:
        stream, source = stream_spec(entry)
        params = stream_params(stream, entry.params)
        own = replace(stream, params=tuple(param for param in stream.params if param is not TRANSFORM))
        found.append(StreamSubject(name, partial(built_stream, stream, params, source), own, params))
    if "metric" in kinds:
        metric, params = resolve(registry.metrics, name, {})
        source = registry.metrics.source(metric.name)
        found.append(MetricSubject(name, partial(build_metric, metric.factory, params, source), metric))
    return found

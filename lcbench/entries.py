"""What the user asked for, resolved: methods and streams with their parameters, built when their turn comes."""

from __future__ import annotations

import inspect
import logging
import math
import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from lcbench.errors import ParameterError, PluginError
from lcbench.loading import build_method, build_stream, path_entry, stream_spec
from lcbench.names import format_entry, parse_entry, parse_stream_entry
from lcbench.plugins import plugin_host
from lcbench.registry import Registry
from lcbench.specs import MethodSpec, Setting, resolve_params

if TYPE_CHECKING:
    from lcbench.clusterer import Clusterer
    from lcbench.stream import TaskStream
    from lcbench.task import IntArray, LabelledTask

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class MethodEntry:
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
    baseline: MethodEntry | None = None
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
class StreamEntry:
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
            from lcbench.stream import check_tasks

            tasks = check_tasks(self.name, self.make().tasks())
            if tuple(t.name for t in tasks) != self.task_names:
                raise PluginError(
                    f"Stream '{self.name}' was registered with the tasks {', '.join(self.task_names)} but made "
                    f"{', '.join(t.name for t in tasks)}."
                )
            _warn_about(self.name, tasks)
            self._tasks = tasks
        return self._tasks


def method_entries(
    methods: Any, registry: Registry, varied: Mapping[str, Collection[str]] | None = None
) -> list[MethodEntry]:
    """Entries for names, instances, a list of both, or a mapping from labels to them.

    `varied` names the parameters of methods that a grid is for: an entry that sets one differs from one that does not.
    """

    def key(entry: MethodEntry) -> Any:
        free = [name for name in (varied or {}).get(entry.name, ()) if name not in entry.written]
        return entry.identity, tuple(free)

    return _unique([_method_entry(item, alias, registry) for alias, item in _items(methods)], "method", key)


def stream_entries(streams: Any) -> list[StreamEntry]:
    """Entries for names, folders, TaskStream instances, a list of these, or a mapping from labels to them."""
    entries = [_stream_entry(item, alias) for alias, item in _items(streams)]
    return _unique(entries, "stream", lambda entry: entry.identity)


def _items(given: Any) -> Iterable[tuple[str | None, Any]]:
    if isinstance(given, Mapping):
        return list(given.items())
    if isinstance(given, (str, PathLike)) or not isinstance(given, Iterable):
        return [(None, given)]
    return [(None, item) for item in given]


def _unique(entries: list[Any], kind: str, key: Callable[[Any], Any]) -> list[Any]:
    """The entries, each once. What records could not tell apart is refused, what is given twice is run once."""
    kept: dict[Any, Any] = {}
    labels: set[str] = set()
    for entry in entries:
        same = kept.setdefault(key(entry), entry)
        if same is entry:
            if entry.label in labels:
                raise ParameterError(
                    f"Two entries are called '{entry.label}': name each {kind} differently, as in mine={entry.name}."
                )
            labels.add(entry.label)
        elif same.origin is not entry.origin:
            raise ParameterError(f"Two different {kind}s are both {entry.name}: rename one of them.")
        elif same.label != entry.label:
            logger.warning("'%s' is the same %s as '%s': it is run once, as that.", entry.label, kind, same.label)
    if not kept:
        raise ParameterError(f"No {kind} was given.")
    return list(kept.values())


def frozen(params: Mapping[str, Any]) -> tuple[Any, ...]:
    """`params` as something that can be a key. One method or stream always has them in the same order."""
    return tuple([(key, _frozen_list(value) if isinstance(value, list) else value) for key, value in params.items()])


def _frozen_list(values: list[Any]) -> tuple[Any, ...]:
    return tuple([_frozen_list(value) if isinstance(value, list) else value for value in values])


def _method_entry(item: Any, alias: str | None, registry: Registry) -> MethodEntry:
    if not isinstance(item, str):
        return _instance_entry(item, alias)
    entry = parse_entry(item)
    spec = registry.methods[entry.name]
    params = resolve_params(f"Method '{spec.name}'", spec.params, entry.params)
    alias = alias or entry.alias
    return _spec_entry(
        spec, params, alias or format_entry(spec.name, {key: params[key] for key in entry.params}), registry,
        baseline=_baseline_entry(spec, params, registry), written=tuple(entry.params), alias=alias,
    )  # fmt: skip


def at_point(entry: MethodEntry, point: Mapping[str, Any], registry: Registry) -> MethodEntry:
    """The registered method of an entry with the values of `point`, and what it is called then."""
    spec = registry.methods[entry.name]
    params = {**entry.params, **point}
    shown = point if entry.alias else {key: params[key] for key in (*entry.written, *point)}
    baseline = entry.baseline
    if baseline is not None and any(name in baseline.params for name in point):
        baseline = _baseline_entry(spec, params, registry)
    label = format_entry(entry.alias or spec.name, shown)
    return _spec_entry(spec, params, label, registry, baseline=baseline, written=tuple(shown), alias=entry.alias)


def _spec_entry(spec: MethodSpec, params: dict[str, Any], label: str, registry: Registry, **more: Any) -> MethodEntry:
    source = registry.methods.source(spec.name)
    return MethodEntry(
        name=spec.name,
        label=label,
        params=params,
        revision=spec.revision,
        setting=spec.setting.value,
        make=partial(build_method, spec.factory, params, source),
        origin=spec,
        blame=str(source),
        note=spec.note_for(params),
        **more,
    )


def _baseline_entry(spec: MethodSpec, params: dict[str, Any], registry: Registry) -> MethodEntry | None:
    """The single-task baseline that a spec names, with the parameters both share."""
    if spec.baseline is None or spec.baseline == spec.name:
        return None
    baseline = registry.methods.get(spec.baseline)
    if baseline is None:
        logger.warning("Method '%s' names the baseline '%s', which is not there.", spec.name, spec.baseline)
        return None
    own = {p.name: p.default for p in baseline.params}
    handed = params if spec.shared is None else {name: params[name] for name in spec.shared}
    shared = resolve_params(
        f"The baseline '{baseline.name}' of '{spec.name}'",
        baseline.params,
        {k: v for k, v in handed.items() if k in own},
    )
    changed = {name: value for name, value in shared.items() if value != own[name]}
    return _spec_entry(baseline, shared, format_entry(baseline.name, changed), registry)


def _instance_entry(item: Any, alias: str | None) -> MethodEntry:
    from sklearn.base import clone

    from lcbench.clusterer import Clusterer

    if not isinstance(item, Clusterer):
        what = reprlib.repr(item)
        raise ParameterError(f"{what} is no method: give a name such as 'l2sc:lam=10', or an instance of Clusterer.")
    if not isinstance(getattr(item, "setting", None), Setting):
        raise ParameterError(f"Class {type(item).__name__} has no setting: add `setting = Setting.LIFELONG`, say.")
    module, name = type(item).__module__, type(item).__name__
    given = {key: value for key, value in item.get_params(deep=False).items() if key != "random_state"}
    params = {key: _recordable(value) for key, value in given.items()}
    defaults = _defaults(item)
    changed = {key: value for key, value in params.items() if value != _recordable(defaults.get(key))}
    return MethodEntry(
        name=f"{module}.{type(item).__qualname__}",
        label=alias or format_entry(name, changed),
        params=params,
        revision=0,
        setting=item.setting.value,
        make=partial(clone, item),
        origin=type(item),
        blame=f"method {name} of module {module}",
        alias=alias,
        cacheable=False,
    )


def _defaults(item: Any) -> dict[str, Any]:
    return {name: p.default for name, p in inspect.signature(type(item)).parameters.items()}


def _recordable(value: Any) -> Any:
    """`value` as JSON can hold it; an object as the start of its repr and a hash of its content."""
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_recordable(v) for v in value]
    import joblib

    return f"{repr(value)[:60]} #{joblib.hash(value)[:12]}"


def _stream_entry(item: Any, alias: str | None) -> StreamEntry:
    if isinstance(item, PathLike):
        entry = path_entry(item)
    elif isinstance(item, str):
        entry = parse_stream_entry(item)
    else:
        return _stream_instance_entry(item, alias)
    spec, source = stream_spec(entry)
    params = resolve_params(f"Stream '{spec.name}'", spec.params, entry.params)
    return StreamEntry(
        name=spec.name,
        label=alias or entry.alias or format_entry(spec.name, {key: params[key] for key in entry.params}),
        params=params,
        digest=spec.digest,
        task_names=tuple(shape.name for shape in spec.shapes(params)),
        make=partial(build_stream, spec, params, source),
        origin=None if entry.is_path else spec,
    )


def _stream_instance_entry(item: Any, alias: str | None) -> StreamEntry:
    from lcbench.stream import ArrayStream, TaskStream, check_tasks, content_digest

    if not isinstance(item, TaskStream):
        what = reprlib.repr(item)
        raise ParameterError(f"{what} is no stream: give a name such as 'digits', or TaskStream.from_arrays(...).")
    if isinstance(item, ArrayStream) and item.name in plugin_host().registry.streams:
        raise ParameterError(f"'{item.name}' is the name of a registered stream: call your arrays something else.")
    tasks = check_tasks(item.name, item.tasks())
    return StreamEntry(
        name=item.name,
        label=alias or item.name,
        params={},
        digest=content_digest(tasks),
        task_names=tuple(t.name for t in tasks),
        make=partial(_itself, item),
        origin=None,
    )


def _itself(item: Any) -> Any:
    return item


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

"""Turns names, instances and folders into configured methods and streams.

Parameters are checked here; registered methods and streams are built later, when a run needs them.
"""

from __future__ import annotations

import inspect
import logging
import math
import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from lcbench.contract.specs import MethodSpec, Setting, resolve_params
from lcbench.data.stream_lookup import built_stream, path_entry, stream_params, stream_shapes, stream_spec, tasks_of
from lcbench.errors import ParameterError
from lcbench.registry.building import build_method
from lcbench.registry.catalogue import Registry
from lcbench.registry.host import plugin_host
from lcbench.registry.names import format_entry, parse_entry, parse_stream_entry
from lcbench.registry.plugin_code import calling
from lcbench.running.planned_run import ConfiguredMethod, ConfiguredStream

logger = logging.getLogger(__name__)


def configured_methods(
    methods: Any, registry: Registry, varied: Mapping[str, Collection[str]] | None = None
) -> list[ConfiguredMethod]:
    """Configures methods from names, instances, a list of both, or a mapping from labels to them.

    `varied` names the parameters of methods that a grid varies: an entry that sets one, even to its default, is not the
    same as an entry that does not.
    """

    def key(entry: ConfiguredMethod) -> Any:
        free = [name for name in (varied or {}).get(entry.name, ()) if name not in entry.written]
        return entry.identity, tuple(free)

    return _unique([_method_entry(item, alias, registry) for alias, item in _items(methods)], "method", key)


def configured_streams(streams: Any) -> list[ConfiguredStream]:
    """Configures streams from names, folders, instances of TaskStream, a list or a mapping from labels to these."""
    entries = [_stream_entry(item, alias) for alias, item in _items(streams)]
    return _unique(entries, "stream", lambda entry: entry.identity)


def at_point(entry: ConfiguredMethod, point: Mapping[str, Any], registry: Registry) -> ConfiguredMethod:
    """A configured method with the values of a grid point set, and a label that shows them."""
    spec = registry.methods[entry.name]
    params = resolve_params(f"Method '{spec.name}'", spec.params, {**entry.params, **point})
    shown = point if entry.alias else {key: params[key] for key in (*entry.written, *point) if key in params}
    baseline = entry.baseline
    if baseline is not None and any(param.name in point for param in registry.methods[baseline.name].params):
        baseline = _baseline_entry(spec, params, registry)
    label = format_entry(entry.alias or spec.name, shown)
    return _spec_entry(spec, params, label, registry, baseline=baseline, written=tuple(shown), alias=entry.alias)


def _items(given: Any) -> Iterable[tuple[str | None, Any]]:
    """Pairs of label and item; the label is None unless a mapping was given."""
    if isinstance(given, Mapping):
        return list(given.items())
    if isinstance(given, (str, PathLike)) or not isinstance(given, Iterable):
        return [(None, given)]
    return [(None, item) for item in given]


def _unique(entries: list[Any], kind: str, key: Callable[[Any], Any]) -> list[Any]:
    """The entries without duplicates. Different entries that records could not tell apart are refused."""
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


def _method_entry(item: Any, alias: str | None, registry: Registry) -> ConfiguredMethod:
    if not isinstance(item, str):
        return _instance_entry(item, alias)
    entry = parse_entry(item)
    spec = registry.methods[entry.name]
    params = resolve_params(f"Method '{spec.name}'", spec.params, entry.params, spec.at_default)
    alias = alias or entry.alias
    written = {key: params[key] for key in entry.params if key in params}
    return _spec_entry(
        spec, params, alias or format_entry(spec.name, written), registry,
        baseline=_baseline_entry(spec, params, registry), written=tuple(entry.params), alias=alias,
    )  # fmt: skip


def _spec_entry(
    spec: MethodSpec, params: dict[str, Any], label: str, registry: Registry, **more: Any
) -> ConfiguredMethod:
    source = registry.methods.source(spec.name)
    with calling(source, f"could not tell the note on method '{spec.name}'"):
        note = spec.note_for(params)
    return ConfiguredMethod(
        name=spec.name,
        label=label,
        params=params,
        revision=spec.revision,
        setting=spec.setting.value,
        make=partial(build_method, spec.factory, params, source),
        origin=spec,
        blame=str(source),
        note=note,
        **more,
    )


def _baseline_entry(spec: MethodSpec, params: dict[str, Any], registry: Registry) -> ConfiguredMethod | None:
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


def _instance_entry(item: Any, alias: str | None) -> ConfiguredMethod:
    """Configures an instance of Clusterer; every run gets a clone of it."""
    from sklearn.base import clone

    from lcbench.contract.clusterer import Clusterer

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
    return ConfiguredMethod(
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
    """`value` in a form that JSON can hold; an object becomes the start of its repr and a hash of its content."""
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_recordable(v) for v in value]
    import joblib

    return f"{repr(value)[:60]} #{joblib.hash(value)[:12]}"


def _stream_entry(item: Any, alias: str | None) -> ConfiguredStream:
    if isinstance(item, PathLike):
        entry = path_entry(item)
    elif isinstance(item, str):
        entry = parse_stream_entry(item)
    else:
        return _stream_instance_entry(item, alias)
    spec, source = stream_spec(entry)
    params = stream_params(spec, entry.params)
    shown = {key: params[key] for key in entry.params if key in params}
    return ConfiguredStream(
        name=spec.name,
        label=alias or entry.alias or format_entry(spec.name, shown),
        params=params,
        digest=spec.digest,
        task_names=tuple(shape.name for shape in stream_shapes(spec, params, source)),
        make=partial(built_stream, spec, params, source),
        origin=None if entry.is_path else plugin_host().registry.streams[entry.name],  # `spec` may be a copy of it
        folder=Path(entry.name).absolute() if entry.is_path else None,
        blame="" if entry.is_path else str(source),
    )


def _stream_instance_entry(item: Any, alias: str | None) -> ConfiguredStream:
    from lcbench.contract.stream import ArrayStream, TaskStream, content_digest

    if not isinstance(item, TaskStream):
        what = reprlib.repr(item)
        raise ParameterError(f"{what} is no stream: give a name such as 'digits', or TaskStream.from_arrays(...).")
    if isinstance(item, ArrayStream) and item.name in {spec.name for spec in plugin_host().registry.streams}:
        raise ParameterError(f"'{item.name}' is the name of a registered stream: call your arrays something else.")
    tasks = tasks_of(item.name, partial(_itself, item))
    folder = getattr(item, "folder", None)  # that of a FolderStream
    return ConfiguredStream(
        name=item.name,
        label=alias or item.name,
        params={},
        digest=content_digest(tasks),
        task_names=tuple(t.name for t in tasks),
        make=partial(_itself, item),
        origin=None,
        folder=None if folder is None else Path(folder).absolute(),
    )


def _itself(item: Any) -> Any:
    """Returns its argument; a lambda would not pickle."""
    return item

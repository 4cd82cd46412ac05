"""From names to objects: methods, streams and metrics built from what plugins registered."""

from __future__ import annotations

import importlib
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.errors import LcbenchError, PluginError, UnknownNameError
from lcbench.names import Entry, parse_entry, parse_stream_entry
from lcbench.plugins import plugin_host
from lcbench.registry import Catalogue, Source, Spec
from lcbench.specs import Params, RawData, StreamSpec, resolve_params

if TYPE_CHECKING:
    from lcbench.clusterer import Clusterer
    from lcbench.metric import Metric
    from lcbench.stream import TaskStream


def load_method(name: str, **params: Any) -> Clusterer:
    """A method by name: `load_method("l2sc", lam=10)`; `"l2sc:lam=10"` works as well."""
    spec, resolved = resolve(plugin_host().registry.methods, name, params)
    return build_method(spec.factory, resolved, plugin_host().registry.methods.source(spec.name))


def load_stream(name: str | PathLike[str], **params: Any) -> TaskStream:
    """A stream by name: `load_stream("digits", tasks=3)`; `"digits:tasks=3"` and the path of a folder work as well."""
    entry = path_entry(name) if isinstance(name, PathLike) else parse_stream_entry(name)
    spec, source = stream_spec(entry)
    return build_stream(spec, resolve_params(f"Stream '{spec.name}'", spec.params, {**entry.params, **params}), source)


def path_entry(path: PathLike[str]) -> Entry:
    """The entry of a folder that is given as a path object."""
    return Entry(fspath(path), is_path=True)


def stream_spec(entry: Entry) -> tuple[StreamSpec, Source]:
    """The spec of a registered stream, or of the folder that an entry names; and who answers for it."""
    streams = plugin_host().registry.streams
    if entry.is_path:
        from lcbench.folders.spec import SOURCE, folder_spec

        spec = folder_spec(entry.name)
        # a folder must not pass for a stream that others know by that name
        return folder_spec(entry.name, name=f"folder-{spec.name}") if spec.name in streams else spec, SOURCE
    if entry.name not in streams and Path(entry.name).is_dir():
        raise UnknownNameError(
            f"There is no stream '{entry.name}'; for the folder of that name write './{entry.name}'."
        )
    return streams[entry.name], streams.source(entry.name)


def raw_data() -> dict[str, RawData]:
    """The registered streams that need data, with what they need."""
    return {spec.name: spec.data for spec in plugin_host().registry.streams if spec.data is not None}


def load_metric(name: str, **params: Any) -> Metric:
    """A metric by name: `load_metric("nmi")`."""
    spec, resolved = resolve(plugin_host().registry.metrics, name, params)
    return build_metric(spec.factory, resolved, plugin_host().registry.metrics.source(spec.name))


def resolve(catalogue: Catalogue[Spec], name: str, params: Params) -> tuple[Spec, dict[str, Any]]:
    """The spec that `name` stands for, with its parameters checked and the defaults filled in."""
    entry = parse_entry(name)
    spec = catalogue[entry.name]
    return spec, resolve_params(f"{catalogue.kind.capitalize()} '{spec.name}'", spec.params, {**entry.params, **params})


def build_method(factory: str, params: Params, source: Source) -> Clusterer:
    """A method from its factory, or PluginError that names who registered it."""
    from lcbench.clusterer import Clusterer

    method: Clusterer = _build(factory, params, source, Clusterer)
    return method


def build_stream(spec: StreamSpec, params: Params, source: Source) -> TaskStream:
    """A stream from its spec, or PluginError that names who registered it."""
    from lcbench.stream import TaskStream

    stream: TaskStream = _build(spec.factory, {**spec.fixed, **params}, source, TaskStream)
    return stream


def build_metric(factory: str, params: Params, source: Source) -> Metric:
    """A metric from its factory, or PluginError that names who registered it."""
    from lcbench.metric import Metric

    metric: Metric = _build(factory, params, source, Metric)
    return metric


def _build(factory: str, params: Params, source: Source, wanted: type) -> Any:
    try:
        built = load_factory(factory)(**params)
    except LcbenchError:
        raise
    except Exception as error:
        raise PluginError(f"{source} could not build '{factory}': {type(error).__name__}: {error}") from error
    if not isinstance(built, wanted):
        raise PluginError(
            f"{source} registers '{factory}', which makes a {type(built).__name__} and not a {wanted.__name__}."
        )
    return built


def load_factory(factory: str) -> Any:
    """What 'module:attribute' names."""
    module_name, _, attribute = factory.partition(":")
    target: Any = importlib.import_module(module_name)
    for part in attribute.split("."):
        target = getattr(target, part)
    return target

"""Builds a method, stream or metric from its name: `load_method` and the like."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from lcbench.contract.specs import StreamCard
from lcbench.data.stream_lookup import built_stream, path_entry, stream_params, stream_shapes, stream_spec
from lcbench.registry.building import build_method, build_metric, resolve
from lcbench.registry.host import plugin_host
from lcbench.registry.names import parse_stream_entry

if TYPE_CHECKING:
    from lcbench.contract.clusterer import Clusterer
    from lcbench.contract.metric import Metric
    from lcbench.contract.stream import TaskStream


def load_method(name: str, **params: Any) -> Clusterer:
    """A method by name: `load_method("l2sc", lam=10)`; `"l2sc:lam=10"` works as well."""
    spec, resolved = resolve(plugin_host().registry.methods, name, params)
    return build_method(spec.factory, resolved, plugin_host().registry.methods.source(spec.name))


def load_stream(name: str | PathLike[str], **params: Any) -> TaskStream:
    """A stream by name: `load_stream("digits", tasks=3)`; `"digits:tasks=3"` and the path of a folder work as well."""
    entry = path_entry(name) if isinstance(name, PathLike) else parse_stream_entry(name)
    spec, source = stream_spec(entry)
    asked = stream_params(spec, {**entry.params, **params})
    stream = built_stream(spec, asked, source)
    shapes = () if spec.from_files else stream_shapes(spec, asked, source)
    object.__setattr__(stream, "declared", shapes)  # a stream may be a frozen dataclass
    if stream.card == StreamCard():
        object.__setattr__(stream, "card", spec.card)
    return stream


def load_metric(name: str, **params: Any) -> Metric:
    """A metric by name: `load_metric("nmi")`."""
    spec, resolved = resolve(plugin_host().registry.metrics, name, params)
    return build_metric(spec.factory, resolved, plugin_host().registry.metrics.source(spec.name))

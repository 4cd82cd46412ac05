"""Builds methods, streams and metrics from the factories that plugins registered."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, TypeVar

from lcbench.contract.specs import MethodSpec, MetricSpec, Params, StreamSpec, resolve_params
from lcbench.errors import PluginError
from lcbench.registry.catalogue import Catalogue, Source
from lcbench.registry.names import parse_entry
from lcbench.registry.plugin_code import calling

if TYPE_CHECKING:
    from lcbench.contract.clusterer import Clusterer
    from lcbench.contract.metric import Metric
    from lcbench.contract.stream import TaskStream

Built = TypeVar("Built", bound=MethodSpec | StreamSpec | MetricSpec)


def resolve(catalogue: Catalogue[Built], name: str, params: Params) -> tuple[Built, dict[str, Any]]:
    """The spec that `name` refers to, and its parameters, checked and with the defaults filled in."""
    entry = parse_entry(name)
    spec = catalogue[entry.name]
    owner, at_default = f"{catalogue.kind.capitalize()} '{spec.name}'", getattr(spec, "at_default", ())
    return spec, resolve_params(owner, spec.params, {**entry.params, **params}, at_default)


def build_method(factory: str, params: Params, source: Source) -> Clusterer:
    """A method from its factory, or a PluginError that names its plugin."""
    from lcbench.contract.clusterer import Clusterer

    method: Clusterer = _build(factory, params, source, Clusterer)
    return method


def build_stream(spec: StreamSpec, params: Params, source: Source) -> TaskStream:
    """A stream from its spec, or a PluginError that names its plugin."""
    from lcbench.contract.stream import TaskStream

    stream: TaskStream = _build(spec.factory, {**spec.fixed, **params}, source, TaskStream)
    return stream


def build_metric(factory: str, params: Params, source: Source) -> Metric:
    """A metric from its factory, or a PluginError that names its plugin."""
    from lcbench.contract.metric import Metric

    metric: Metric = _build(factory, params, source, Metric)
    return metric


def load_factory(factory: str) -> Any:
    """Imports the object that 'module:attribute' names."""
    module_name, _, attribute = factory.partition(":")
    target: Any = importlib.import_module(module_name)
    for part in attribute.split("."):
        target = getattr(target, part)
    return target


def _build(factory: str, params: Params, source: Source, wanted: type) -> Any:
    with calling(source, f"could not build '{factory}'"):
        built = load_factory(factory)(**params)
    if not isinstance(built, wanted):
        raise PluginError(
            f"{source} registers '{factory}', which makes a {type(built).__name__} and not a {wanted.__name__}."
        )
    return built

"""Looks up metrics: the default ones, those to compute, and their keys in records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lcbench.contract.specs import MetricKind, MetricSpec
from lcbench.registry.building import build_metric, resolve
from lcbench.registry.catalogue import Registry
from lcbench.registry.host import plugin_host
from lcbench.registry.names import format_entry, parse_entry

if TYPE_CHECKING:
    from lcbench.contract.metric import Metric

DEFAULT_METRICS = ("purity", "nmi", "ri")
DEFAULT_INTERNAL_METRICS = ("silhouette",)  # of streams without labels


def load_metrics(names: Sequence[str], registry: Registry) -> dict[str, Metric]:
    """Builds every external metric, and the metrics called `names`, by their keys in a record."""
    catalogue = registry.metrics
    wanted = [spec.name for spec in catalogue if spec.kind is MetricKind.EXTERNAL]
    metrics: dict[str, Metric] = {}
    for name in (*wanted, *names):
        spec, params = resolve(catalogue, name, {})
        text = metric_key(name, registry)
        if text not in metrics:
            metrics[text] = build_metric(spec.factory, params, catalogue.source(spec.name))
    return metrics


def check_metrics(names: Sequence[str]) -> None:
    """Raises if a metric's name or parameter is wrong: called before any data are loaded."""
    for name in names:
        resolve(plugin_host().registry.metrics, name, {})


def metric_key(name: str, registry: Registry) -> str:
    """The key of a metric in a record: its name with the parameters that are not at their defaults."""
    spec, params = resolve(registry.metrics, name, {})
    defaults = {p.name: p.default for p in spec.params}
    changed = {key: value for key, value in params.items() if value != defaults[key]}
    return format_entry(spec.name, changed)


def greater_is_better(key: str) -> bool:
    """True if a higher score is better, by the metric's key in a record, or if its plugin is not installed now."""
    spec = plugin_host().registry.metrics.get(key.partition(":")[0])
    return spec is None or spec.greater_is_better


def metric_spec(key: str) -> MetricSpec | None:
    """The spec of a metric, by its key in a record; None if its plugin is not installed now."""
    return plugin_host().registry.metrics.get(parse_entry(key).name)


def is_percent(metric: str) -> bool:
    """True if tables show the metric times 100."""
    spec = metric_spec(metric)
    return spec is None or spec.percent

"""Which metrics are computed, and which are shown."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lcbench.entries import StreamEntry, unlabelled
from lcbench.loading import build_metric, resolve
from lcbench.names import format_entry
from lcbench.plugins import plugin_host
from lcbench.record import OK
from lcbench.registry import Registry
from lcbench.specs import MetricKind

if TYPE_CHECKING:
    from lcbench.metric import Metric
    from lcbench.record import RunRecord

logger = logging.getLogger(__name__)

DEFAULT_METRICS = ("purity", "nmi", "ri")
DEFAULT_INTERNAL_METRICS = ("silhouette",)  # of streams without labels


def load_metrics(names: Sequence[str], registry: Registry) -> dict[str, Metric]:
    """Every external metric, and those of `names`, by the text that stands for them."""
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
    """Say that a metric's name or parameter is wrong before any data are loaded."""
    for name in names:
        resolve(plugin_host().registry.metrics, name, {})


def metric_key(name: str, registry: Registry) -> str:
    """The key of a metric in a record: its name with the parameters that are not at their defaults."""
    spec, params = resolve(registry.metrics, name, {})
    defaults = {p.name: p.default for p in spec.params}
    changed = {key: value for key, value in params.items() if value != defaults[key]}
    return format_entry(spec.name, changed)


def greater_is_better(key: str) -> bool:
    """Whether more of a metric is better, by its key in a record; yes if its plugin is not here any more."""
    spec = plugin_host().registry.metrics.get(key.partition(":")[0])
    return spec is None or spec.greater_is_better


def shown_metrics(streams: Sequence[StreamEntry], records: Iterable[RunRecord]) -> list[str]:
    """External metrics if any task has labels, internal ones if any has none.

    That is known from the streams whose data are loaded, and of runs that ended well from their scores.
    """
    missing = [len(unlabelled(stream.tasks())) for stream in streams]
    some = any(count < len(stream.tasks()) for count, stream in zip(missing, streams, strict=True))
    none = any(missing)
    for record in records:
        if record.status != OK:
            continue
        last = [record.scores[name][-1] for name in DEFAULT_METRICS if record.scores.get(name)]
        some = some or any(score is not None for row in last for score in row)
        internal = any(name in record.scores for name in DEFAULT_INTERNAL_METRICS)
        none = none or (internal and any(score is None for row in last for score in row))
    return [*(DEFAULT_METRICS if some or not none else ()), *(DEFAULT_INTERNAL_METRICS if none else ())]


def first_metric(metrics: str | Sequence[str] | None, tune: str) -> str | None:
    """The metric to tune by if none is named: the first that is shown and compares with labels."""
    if tune == "none" or not metrics:
        return None
    catalogue = plugin_host().registry.metrics
    asked = [metrics] if isinstance(metrics, str) else metrics
    external = (name for name in asked if resolve(catalogue, name, {})[0].kind is MetricKind.EXTERNAL)
    return next(external, None)


def warn_about_labels(streams: Sequence[StreamEntry], metrics: Sequence[str], registry: Registry) -> None:
    """Say where the metrics that are shown stay empty."""
    external = [name for name in metrics if resolve(registry.metrics, name, {})[0].kind is MetricKind.EXTERNAL]
    for stream in streams:
        without = unlabelled(stream.tasks())
        if external and without:
            every = len(without) == len(stream.tasks())
            logger.warning(
                "Stream '%s' has no labels%s: %s cannot be computed%s.",
                stream.label, "" if every else f" for {', '.join(without)}", ", ".join(external),
                "" if every else " there, nor averaged over all tasks",
            )  # fmt: skip

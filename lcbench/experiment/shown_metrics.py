"""Chooses the metrics to show and to tune by; warns about metrics that need labels."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lcbench.contract.specs import MetricKind
from lcbench.records.record import OK
from lcbench.registry.building import resolve
from lcbench.registry.catalogue import Registry
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import DEFAULT_INTERNAL_METRICS, DEFAULT_METRICS
from lcbench.running.planned_run import ConfiguredStream, unlabelled

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord

logger = logging.getLogger(__name__)


def shown_metrics(streams: Sequence[ConfiguredStream], records: Iterable[RunRecord]) -> list[str]:
    """The default metrics: external ones if any task has labels, internal ones if any task has none.

    The streams to be run tell by their data, stored runs that ended well by their scores.
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


def first_external(metrics: Sequence[str]) -> str | None:
    """The first of `metrics` that compares with labels; None if none does."""
    catalogue = plugin_host().registry.metrics
    external = (name for name in metrics if resolve(catalogue, name, {})[0].kind is MetricKind.EXTERNAL)
    return next(external, None)


def warn_about_labels(streams: Sequence[ConfiguredStream], metrics: Sequence[str], registry: Registry) -> None:
    """Warns about tasks without labels, for which external metrics stay empty."""
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

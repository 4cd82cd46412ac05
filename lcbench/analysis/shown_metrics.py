"""Chooses the metrics that tables and figures of stored runs show."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.errors import ParameterError
from lcbench.records.record import RunRecord
from lcbench.registry.metrics import DEFAULT_INTERNAL_METRICS, DEFAULT_METRICS

MOST = 3


def shown_metrics(runs: Sequence[RunRecord], asked: Sequence[str] | None = None) -> list[str]:
    """The metrics asked for, each of which some run must have.

    If none are asked for: the default metrics that some run has, and also the default internal ones if a stream was
    scored with none of these (it has no labels). If no run has a default metric, the first few that runs have.
    """
    by_stream: dict[str, dict[str, None]] = {}
    for run in runs:
        scored = (m for m, R in run.scores.items() if any(cell is not None for row in R for cell in row))
        by_stream.setdefault(run.stream_label, {}).update(dict.fromkeys(scored))
    there = dict.fromkeys(metric for metrics in by_stream.values() for metric in metrics)
    if asked:
        return list(dict.fromkeys(_key(name, there) for name in asked))
    usual = [metric for metric in DEFAULT_METRICS if metric in there]
    if any(metrics and not metrics.keys() & set(DEFAULT_METRICS) for metrics in by_stream.values()):
        usual += [metric for metric in DEFAULT_INTERNAL_METRICS if metric in there]
    return usual or list(there)[:MOST]


def _key(name: str, there: dict[str, None]) -> str:
    """The key of a metric in run records; an error if no run has it."""
    if name in there:
        return name
    from lcbench.registry.host import plugin_host
    from lcbench.registry.metrics import metric_key

    key = metric_key(name, plugin_host().registry)
    if key not in there:
        known = f"they have {', '.join(there)}" if there else "nothing was scored in them"
        raise ParameterError(f"None of the runs has {key} ({known}): 'lcbench run --metric {name}' adds it.")
    return key

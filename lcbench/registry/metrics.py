"""Looks up metrics: those to show, those to compute, and their keys in records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lcbench.contract.specs import MetricKind, MetricSpec, Params
from lcbench.errors import ParameterError
from lcbench.registry.building import resolve
from lcbench.registry.catalogue import Registry, Source
from lcbench.registry.host import plugin_host
from lcbench.registry.names import format_entry

Scores = Mapping[str, Sequence[Sequence[float | None]]]  # the matrix R of every metric of a run
MOST_OTHERS = 3  # shown if a run has none of the usual metrics


def shown_metrics(runs: Iterable[Scores], asked: Sequence[str] | None = None) -> list[str]:
    """The keys of the metrics that tables and figures of stored runs show, by the scores of the runs.

    Asked ones, registered or not, must be in some run. If none are asked for: the default ones that runs have, or else
    the first few that they have.
    """
    runs = list(runs)
    there = {m: None for run in runs for m, R in run.items() if any(cell is not None for row in R for cell in row)}
    if asked:
        return list(dict.fromkeys(_stored_key(name, there) for name in asked))
    default = default_metrics(labelled for run in runs for labelled in labelled_tasks(run))
    return [metric for metric in default if metric in there] or list(there)[:MOST_OTHERS]


def default_metrics(labelled: Iterable[bool] = ()) -> list[str]:
    """The metrics shown by default, as registered, if the tasks are `labelled` so.

    External ones if a task has labels, internal ones if one has none, external ones also if nothing is known.
    """
    known = set(labelled)
    kinds = {MetricKind.EXTERNAL: known != {False}, MetricKind.INTERNAL: False in known}
    return [spec.name for spec in plugin_host().registry.metrics if spec.shown and kinds.get(spec.kind)]


def labelled_tasks(scores: Scores) -> list[bool]:
    """True for each labelled task of a stored run, by the scores after its last task; empty where they do not tell.

    A task without scores of external metrics has no labels if the run was scored by an internal one that is shown.
    """
    last = {metric: R[-1] for metric, R in scores.items() if R and len(R) == len(R[-1])}  # of runs that broke off: none
    specs = [spec for spec in plugin_host().registry.metrics if spec.shown and spec.name in last]
    external = [last[spec.name] for spec in specs if spec.kind is MetricKind.EXTERNAL]
    known = [any(cell is not None for cell in cells) for cells in zip(*external, strict=True)]
    if len(external) < len(specs):
        return known or [False]
    return [labelled for labelled in known if labelled]


def first_external(names: str | Sequence[str] | None) -> str | None:
    """The first of the named metrics that compares with labels, None if there is none."""
    catalogue = plugin_host().registry.metrics
    asked = [names] if isinstance(names, str) else names or ()
    return next((name for name in asked if resolve(catalogue, name, {})[0].kind is MetricKind.EXTERNAL), None)


def metrics_to_compute(names: Sequence[str], registry: Registry) -> dict[str, tuple[str, Params, Source]]:
    """Factory, parameters and plugin of every external metric, and of those called `names`, by key in a record."""
    catalogue = registry.metrics
    wanted = [spec.name for spec in catalogue if spec.kind is MetricKind.EXTERNAL]
    found: dict[str, tuple[str, Params, Source]] = {}
    for name in (*wanted, *names):
        spec, params = resolve(catalogue, name, {})
        found.setdefault(metric_key(name, registry), (spec.factory, params, catalogue.source(spec.name)))
    return found


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
    spec = metric_spec(key)
    return spec is None or spec.greater_is_better


def metric_spec(key: str) -> MetricSpec | None:
    """The spec of a metric, by its key in a record; None if its plugin is not installed now."""
    return plugin_host().registry.metrics.get(key.partition(":")[0])


def is_shown(key: str) -> bool:
    """True if tables show a metric, by its key in a record, where nobody asked for one."""
    spec = metric_spec(key)
    return spec is not None and spec.shown


def is_percent(metric: str) -> bool:
    """True if tables show the metric times 100."""
    spec = metric_spec(metric)
    return spec is None or spec.percent


def with_unit(metric: str) -> str:
    """The name of a metric with its unit, at the head of a column or beside an axis."""
    return f"{metric} (%)" if is_percent(metric) else metric


def _stored_key(name: str, there: Mapping[str, None]) -> str:
    """The key of a metric that some run has; an error if none has it."""
    stored = name if name in there else {key.casefold(): key for key in there}.get(name.casefold())
    if stored is not None:
        return stored
    key = metric_key(name, plugin_host().registry)
    if key not in there:
        known = f"they have {', '.join(there)}" if there else "nothing was scored in them"
        raise ParameterError(f"None of the runs has {key} ({known}): 'lcbench run --metric {name}' adds it.")
    return key

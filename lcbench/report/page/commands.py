"""The commands that make the runs of the page again, each checked: what it plans are these runs.

A command is written from what the records say, and then planned: what it would run must be what is stored. Where that
cannot be, as for a method that was given from Python or whose revision has changed since, the reason is said.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

from lcbench.analysis.selection import MethodRuns, Selection
from lcbench.contract.hashing import canonical_json
from lcbench.contract.specs import MethodSpec, MetricKind, Param
from lcbench.errors import LcbenchError, OrderError
from lcbench.experiment.orders import ALL, FIXED, RANDOM, Order, plan_orders
from lcbench.experiment.planning import plan_runs
from lcbench.printable import counted
from lcbench.records.record import OUT_OF_MEMORY, TIMEOUT, RunRecord
from lcbench.registry.host import plugin_host
from lcbench.registry.names import format_entry, format_value, is_name
from lcbench.running.planned_run import frozen

MOST_ORDERS = 12


@dataclass(frozen=True, slots=True)
class Commands:
    """Command lines, and a sentence for all that they do not make again."""

    lines: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """One `lcbench run`: what all its methods share."""

    stream: str
    facts: tuple[tuple[str, Any], ...]
    order: OrderWords
    grid: tuple[str, ...]
    audit: tuple[str, ...]


def run_commands(selection: Selection, folder: str | None, metrics: Sequence[str]) -> Commands:
    """The `lcbench run` lines for all selected runs; methods that share all else share a line, and streams too."""
    notes: list[str] = []
    asked: dict[_Asked, dict[str, set[str]]] = {}
    for stream in selection.streams:
        for method in stream.methods:
            for ask, entry, ids in _asked(method, notes):
                asked.setdefault(ask, {}).setdefault(entry, set()).update(ids)
    tail = [word for metric in _named(metrics) for word in ("--metric", metric)]
    tail += ["--results", folder] if folder is not None else []
    streams: dict[tuple[_Asked, tuple[str, ...]], list[str]] = {}
    for ask, entries in asked.items():
        for group in _together(ask, entries):
            streams.setdefault((replace(ask, stream=""), group), []).append(ask.stream)
    lines = [shlex.join(["lcbench", "run", *_words(group, on, ask), *tail]) for (ask, group), on in streams.items()]
    if any(run.status in (TIMEOUT, OUT_OF_MEMORY) for run in selection.runs):
        notes.append("Records do not say which --timeout or --memory-limit there was.")
    return Commands(tuple(lines), tuple(dict.fromkeys(notes)))


def _asked(method: MethodRuns, notes: list[str]) -> Iterator[tuple[_Asked, str, set[str]]]:
    """The commands for the runs of one method on one stream."""
    groups: dict[str, list[RunRecord]] = {}
    for run in method.runs:
        groups.setdefault(canonical_json([_facts(run), run.tune, run.stream_params, run.stream_digest]), []).append(run)
    for runs in groups.values():
        yield from _of_group(runs, notes)


def _of_group(runs: Sequence[RunRecord], notes: list[str]) -> Iterator[tuple[_Asked, str, set[str]]]:
    run = runs[0]
    registry = plugin_host().registry
    method, stream = registry.methods.get(run.method), registry.streams.get(run.stream)
    what = f"{run.label} on {run.stream_label}"
    if method is None or stream is None:
        missing = f"method '{run.method}'" if method is None else f"stream '{run.stream}'"
        notes.append(f"{what}: {missing} has no name here, so there is no command: it came from Python or a folder.")
        return
    entry = _entry(run.method, method.params, run.params, _alias(run))
    target = _entry(run.stream, stream.params, run.stream_params, None)
    words = order_words(runs)
    if len(words) > MOST_ORDERS:
        rest = sum(len(ids) for _, ids in words[MOST_ORDERS:])
        notes.append(
            f"{what}: {counted(rest, 'run')} in single orders have no line here; their orders are in the tables."
        )
    audits = tuple(sorted({mode for r in runs for mode in r.audit} - {"measure"}))
    baselines = method.baseline is None or any(r.baseline is not None for r in runs)
    facts = (*_facts(run), ("baselines", baselines))
    for order, ids in words[:MOST_ORDERS]:
        for grid in grid_choices(run, method):
            ask = _Asked(target, facts, order, grid, audits)
            planned = _planned(ask, [entry])
            if isinstance(planned, set) and ids <= planned:
                yield ask, entry, ids
                break
        else:
            why = planned if isinstance(planned, str) else "the command that its record says plans other runs by now"
            notes.append(f"{what}: no command makes {counted(len(ids), 'run')} again: {why}")


def _facts(run: RunRecord) -> tuple[tuple[str, Any], ...]:
    """What runs of one command share besides stream and orders, by the names that `plan_runs` has for it."""
    names = ("seed", "evaluate", "future", "threads")
    tuned = (("tune", run.tune["protocol"]), ("tune_metric", _tune_metric(run)))
    return (*((name, getattr(run, name)) for name in names), *tuned)


def _tune_metric(run: RunRecord) -> str | None:
    """The metric that labels are looked at with, where the record says it."""
    return run.tune["metric"] if run.tune["protocol"] in ("oracle", "first-task") else None


def _together(ask: _Asked, entries: Mapping[str, set[str]]) -> list[tuple[str, ...]]:
    """All entries in one command if that plans all their runs, else a command each."""
    planned = _planned(ask, list(entries))
    if isinstance(planned, set) and set().union(*entries.values()) <= planned:
        return [tuple(entries)]
    return [(entry,) for entry in entries]


def _planned(ask: _Asked, entries: list[str]) -> set[str] | str:
    """The ids of the runs that a command would make, or why it would make none."""
    try:
        plan = plan_runs(
            entries, [ask.stream], order=ask.order.order, repeats=ask.order.repeats, grid=list(ask.grid),
            **dict(ask.facts),
        )  # fmt: skip
    except LcbenchError as error:
        return str(error)
    return {run.run_id for run in plan} | {tuned.run_id for tuned in plan.tuned}


def _words(entries: Sequence[str], streams: Sequence[str], ask: _Asked) -> list[str]:
    facts = dict(ask.facts)
    words = [word for entry in entries for word in ("--method", entry)]
    words += [word for stream in streams for word in ("--stream", stream)]
    words += ["--order", ask.order.order] if ask.order.order != "fixed" else []
    words += ["--repeats", str(ask.order.repeats)] if ask.order.repeats > 1 else []
    words += ["--seed", str(facts["seed"])] if facts["seed"] else []
    words += [word for grid in ask.grid for word in ("--grid", grid)]
    words += ["--tune", facts["tune"]] if facts["tune"] != "none" else []
    words += ["--tune-metric", facts["tune_metric"]] if facts["tune_metric"] else []
    words += ["--evaluate", facts["evaluate"]] if facts["evaluate"] != "all" else []
    words += ["--future"] if facts["future"] else []
    words += ["--threads", str(facts["threads"])] if facts["threads"] > 1 else []
    words += [] if facts["baselines"] else ["--no-baseline"]
    return words + [word for mode in ask.audit for word in ("--audit", mode)]


def _entry(name: str, params: Sequence[Param], values: Mapping[str, Any], alias: str | None) -> str:
    """A method or stream as one would type it: the parameters that are not at their defaults."""
    defaults = frozen({param.name: param.default for param in params})
    changed = {key: values[key] for key, value in frozen(values) if (key, value) not in defaults}
    return f"{alias}=" * (alias is not None) + format_entry(name, changed)


def _alias(run: RunRecord) -> str | None:
    """The name that the user gave a method, if it is one."""
    label = run.label.removesuffix(f" ({run.tune['protocol']})")
    return label if is_name(label) and label != run.method else None


def _named(metrics: Sequence[str]) -> Sequence[str]:
    """The metrics to name: none if all are computed anyway, as those that compare with labels are."""
    specs = plugin_host().registry.metrics
    plain = {spec.name for spec in specs if spec.kind is MetricKind.EXTERNAL}
    return () if set(metrics) <= plain else metrics


class OrderWords(NamedTuple):
    """What to say for a set of orders: `random` with ten repeats, or the names of tasks."""

    order: str
    repeats: int


def order_words(runs: Sequence[RunRecord]) -> list[tuple[OrderWords, set[str]]]:
    """What to say for the orders of these runs, of one seed on one stream, each with the ids of its runs.

    A kind of orders is said where the runs have all that it makes, the kind with most of them first; what is left is
    listed order by order.
    """
    there: dict[tuple[int, Order], set[str]] = {}
    for run in runs:
        there.setdefault((run.repeat, run.order), set()).add(run.run_id)
    kinds = [_most_of(kind, runs[0], set(there)) for kind in (FIXED, RANDOM, ALL)]
    left = dict(there)
    found: list[tuple[OrderWords, set[str]]] = []
    for words, pairs in sorted(kinds, key=lambda kind: -len(kind[1])):
        ids = set().union(*(left.pop(pair) for pair in pairs if pair in left))
        if ids:
            found.append((words, ids))
    by_order: dict[Order, dict[int, set[str]]] = {}
    for (repeat, order), ids in left.items():
        by_order.setdefault(order, {})[repeat] = ids
    listed = [
        (OrderWords(",".join(order), max(repeats) + 1), set().union(*repeats.values()))
        for order, repeats in by_order.items()
    ]
    return [*found, *listed]


def _most_of(kind: str, run: RunRecord, there: set[tuple[int, Order]]) -> tuple[OrderWords, list[tuple[int, Order]]]:
    """A kind with as many repeats as have all their orders among `there`, and these orders."""
    most = max(repeat for repeat, _ in there) + 1
    try:
        pairs = plan_orders(kind, run.stream_tasks or run.order, repeats=most, seed=run.seed, stream=run.stream)
    except OrderError:  # too many tasks for all permutations
        return OrderWords(kind, 0), []
    repeats = min((repeat for repeat, order in pairs if (repeat, order) not in there), default=most)
    return OrderWords(kind, repeats), [pair for pair in pairs if pair[0] < repeats]


def grid_choices(run: RunRecord, method: MethodSpec) -> Iterator[tuple[str, ...]]:
    """What may have been said, the likely first: nothing, the values of each parameter, or the names of grids."""
    points = run.tune["grid"]
    if not points:
        yield ()
        return
    names = list(points[0])
    values = {name: list({format_value(point[name]): point[name] for point in points}) for name in names}
    yield tuple(f"{method.name}.{name}={','.join(values[name])}" for name in names)
    named: dict[str, Any] = {param.name: list(param.grids) for param in method.params}
    for choice in product(*(named.get(name, []) for name in names)):
        yield tuple(f"{method.name}.{name}={grid}" for name, grid in zip(names, choice, strict=True))

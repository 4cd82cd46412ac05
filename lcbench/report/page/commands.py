"""Finds the `lcbench run` commands that repeat the runs shown on the page.

A command is written from the records and then planned, to check that it would make the stored runs. Where none does, as
for a method that was given from Python or whose revision has changed since, a note gives the reason.
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
    """Command lines, and notes on the runs that they do not repeat."""

    lines: tuple[str, ...]
    notes: tuple[str, ...]


class OrderWords(NamedTuple):
    """The values of `--order` and `--repeats` for a set of orders: `random` and 10, or the names of tasks and 1."""

    order: str
    repeats: int


@dataclass(frozen=True, slots=True)
class _RunCommand:
    """One `lcbench run` command without its methods: all that they share."""

    stream: str
    facts: tuple[tuple[str, Any], ...]
    order: OrderWords
    grid: tuple[str, ...]
    audit: tuple[str, ...]


def run_commands(selection: Selection, folder: str | None, metrics: Sequence[str]) -> Commands:
    """The command lines that repeat all selected runs; methods, and streams, with the same options share a line.

    `folder` is the results folder to name in them, if any.
    """
    notes: list[str] = []
    commands: dict[_RunCommand, dict[str, set[str]]] = {}
    for stream in selection.streams:
        for method in stream.methods:
            for command, entry, ids in _commands_of_method(method, notes):
                commands.setdefault(command, {}).setdefault(entry, set()).update(ids)
    tail = [word for metric in _named(metrics) for word in ("--metric", metric)]
    tail += ["--results", folder] if folder is not None else []
    streams: dict[tuple[_RunCommand, tuple[str, ...]], list[str]] = {}
    for command, entries in commands.items():
        for group in _together(command, entries):
            streams.setdefault((replace(command, stream=""), group), []).append(command.stream)
    lines = [
        shlex.join(["lcbench", "run", *_words(group, on, command), *tail]) for (command, group), on in streams.items()
    ]
    if any(run.status in (TIMEOUT, OUT_OF_MEMORY) for run in selection.runs):
        notes.append("Records do not say which --timeout or --memory-limit there was.")
    return Commands(tuple(lines), tuple(dict.fromkeys(notes)))


def order_words(runs: Sequence[RunRecord]) -> list[tuple[OrderWords, set[str]]]:
    """The options `--order` and `--repeats` for runs of one seed on one stream, each with the ids of the runs it makes.

    A kind of orders (`fixed`, `random`, `all`) is named if the runs have all orders that it makes, the kind with most
    runs first; the remaining orders are listed one by one.
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


def grid_choices(run: RunRecord, method: MethodSpec) -> Iterator[tuple[str, ...]]:
    """The `--grid` options that may have made a run, likely ones first: none, lists of values, or names of grids."""
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


def _commands_of_method(method: MethodRuns, notes: list[str]) -> Iterator[tuple[_RunCommand, str, set[str]]]:
    """The commands for the runs of one method on one stream."""
    groups: dict[str, list[RunRecord]] = {}
    for run in method.runs:
        groups.setdefault(canonical_json([_facts(run), run.tune, run.stream_params, run.stream_digest]), []).append(run)
    for runs in groups.values():
        yield from _commands_of_group(runs, notes)


def _commands_of_group(runs: Sequence[RunRecord], notes: list[str]) -> Iterator[tuple[_RunCommand, str, set[str]]]:
    """Commands for runs that differ in order and repeat only, each with the method and the ids of the runs it makes."""
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
            command = _RunCommand(target, facts, order, grid, audits)
            planned = _planned(command, [entry])
            if isinstance(planned, set) and ids <= planned:
                yield command, entry, ids
                break
        else:
            why = planned if isinstance(planned, str) else "the command that its record says plans other runs by now"
            notes.append(f"{what}: no command makes {counted(len(ids), 'run')} again: {why}")


def _facts(run: RunRecord) -> tuple[tuple[str, Any], ...]:
    """The options that all runs of a command share besides stream and orders, by their names in `plan_runs`."""
    names = ("seed", "evaluate", "future", "threads")
    tuned = (("tune", run.tune["protocol"]), ("tune_metric", _tune_metric(run)))
    return (*((name, getattr(run, name)) for name in names), *tuned)


def _tune_metric(run: RunRecord) -> str | None:
    """The metric of a tuning that looks at labels; None for any other."""
    return run.tune["metric"] if run.tune["protocol"] in ("oracle", "first-task") else None


def _together(command: _RunCommand, entries: Mapping[str, set[str]]) -> list[tuple[str, ...]]:
    """All entries in one command if that plans all their runs, else a command each."""
    planned = _planned(command, list(entries))
    if isinstance(planned, set) and set().union(*entries.values()) <= planned:
        return [tuple(entries)]
    return [(entry,) for entry in entries]


def _planned(command: _RunCommand, entries: list[str]) -> set[str] | str:
    """The ids of the runs that a command would make, or the reason why it cannot be planned."""
    try:
        plan = plan_runs(
            entries, [command.stream], order=command.order.order, repeats=command.order.repeats,
            grid=list(command.grid), **dict(command.facts),
        )  # fmt: skip
    except LcbenchError as error:
        return str(error)
    return {run.run_id for run in plan} | {tuned.run_id for tuned in plan.tuned}


def _words(entries: Sequence[str], streams: Sequence[str], command: _RunCommand) -> list[str]:
    """The words of a command line after `lcbench run`; options at their defaults are left out."""
    facts = dict(command.facts)
    words = [word for entry in entries for word in ("--method", entry)]
    words += [word for stream in streams for word in ("--stream", stream)]
    words += ["--order", command.order.order] if command.order.order != "fixed" else []
    words += ["--repeats", str(command.order.repeats)] if command.order.repeats > 1 else []
    words += ["--seed", str(facts["seed"])] if facts["seed"] else []
    words += [word for grid in command.grid for word in ("--grid", grid)]
    words += ["--tune", facts["tune"]] if facts["tune"] != "none" else []
    words += ["--tune-metric", facts["tune_metric"]] if facts["tune_metric"] else []
    words += ["--evaluate", facts["evaluate"]] if facts["evaluate"] != "all" else []
    words += ["--future"] if facts["future"] else []
    words += ["--threads", str(facts["threads"])] if facts["threads"] > 1 else []
    words += [] if facts["baselines"] else ["--no-baseline"]
    return words + [word for mode in command.audit for word in ("--audit", mode)]


def _entry(name: str, params: Sequence[Param], values: Mapping[str, Any], alias: str | None) -> str:
    """A method or stream as a user types it, with the parameters that are not at their defaults."""
    defaults = frozen({param.name: param.default for param in params})
    changed = {key: values[key] for key, value in frozen(values) if (key, value) not in defaults}
    return f"{alias}=" * (alias is not None) + format_entry(name, changed)


def _alias(run: RunRecord) -> str | None:
    """The alias that the user gave a method; None if the label is no alias."""
    label = run.label.removesuffix(f" ({run.tune['protocol']})")
    return label if is_name(label) and label != run.method else None


def _named(metrics: Sequence[str]) -> Sequence[str]:
    """The metrics to name in a command: none if all are external ones, which are computed anyway."""
    specs = plugin_host().registry.metrics
    plain = {spec.name for spec in specs if spec.kind is MetricKind.EXTERNAL}
    return () if set(metrics) <= plain else metrics


def _most_of(kind: str, run: RunRecord, there: set[tuple[int, Order]]) -> tuple[OrderWords, list[tuple[int, Order]]]:
    """A kind of orders with as many repeats as are complete in `there`, and the (repeat, order) pairs of these."""
    most = max(repeat for repeat, _ in there) + 1
    try:
        pairs = plan_orders(kind, run.stream_tasks or run.order, repeats=most, seed=run.seed, stream=run.stream)
    except OrderError:  # too many tasks for all permutations
        return OrderWords(kind, 0), []
    repeats = min((repeat for repeat, order in pairs if (repeat, order) not in there), default=most)
    return OrderWords(kind, repeats), [pair for pair in pairs if pair[0] < repeats]

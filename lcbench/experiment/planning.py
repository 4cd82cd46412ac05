"""Plans the runs of an experiment: every method on every stream, order and repeat."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, overload

from lcbench.contract.hashing import canonical_json, content_id
from lcbench.contract.specs import MetricKind, Setting
from lcbench.errors import ParameterError
from lcbench.experiment.grids import GriddedEntry, apply_grids, as_grids, varied_params
from lcbench.experiment.options import Experiment
from lcbench.experiment.orders import LISTED, ORDERS, Order, plan_orders, runs_in_a_repeat
from lcbench.experiment.resolving import configured_methods, configured_streams
from lcbench.experiment.tuning import NONE, RULES, tuned_note
from lcbench.records.record import RunRecord, is_scored, parse_evaluate
from lcbench.registry.catalogue import Registry
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import default_metrics, first_external, metric_key
from lcbench.running.planned_run import ConfiguredMethod, ConfiguredStream, PlannedRun

logger = logging.getLogger(__name__)
MOST_RUNS = 1_000_000  # of one experiment: to plan as many takes some seconds and half a GB
MOST_TASKS_ALONE = 50  # of a stream whose tasks are also learned alone unless the user decides otherwise


@dataclass(frozen=True, slots=True, eq=False)
class TunedRun:
    """A run that is chosen among its `candidates`, the runs of all points of a grid, once these are done.

    `candidates` and `baselines` are run ids, one per point; `untuned` is the id of the run with the entry's own
    parameters, which need not be in the plan. With `solo` the chosen point also learns each task alone.
    """

    record: RunRecord
    method: ConfiguredMethod
    stream: ConfiguredStream
    run_id: str
    points: tuple[Mapping[str, Any], ...]
    candidates: tuple[str, ...]
    baselines: tuple[str | None, ...]
    untuned: str
    solo: bool


@dataclass(frozen=True, slots=True, eq=False)
class Plan(Sequence[PlannedRun]):
    """The runs to do, and the tuned runs that are chosen among them.

    Protocols that use labels choose by `tune_metric`. `searched` are the ids of runs that only the tuning needs.
    """

    runs: Sequence[PlannedRun]
    tuned: list[TunedRun] = field(default_factory=list)
    tune_metric: str | None = None
    searched: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[PlannedRun]:
        return iter(self.runs)

    @overload
    def __getitem__(self, index: int) -> PlannedRun: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[PlannedRun]: ...

    def __getitem__(self, index: int | slice) -> PlannedRun | Sequence[PlannedRun]:
        return self.runs[index]

    @property
    def tuning_metrics(self) -> tuple[str, ...]:
        """The metrics that every run needs for tuning, and for comparing the tuning rules."""
        if not self.tuned or self.tune_metric is None:
            return ()
        return (self.tune_metric, *(rule.metric for rule in RULES.values() if rule.metric is not None))


def plan_experiment(asked: Experiment) -> Plan:
    """Plans the runs of an experiment, each once and every baseline before its methods. Loads no data.

    With `tune` other than `"none"` one point of its grid is chosen for each entry that has one: see `tuning.py`.
    """
    every = parse_evaluate(asked.evaluate)
    registry = plugin_host().registry
    grids = [replace(grid, method=registry.methods[grid.method].name) for grid in as_grids(asked.grid)]
    entries = configured_methods(asked.methods, registry, varied_params(grids))
    gridded = apply_grids(entries, grids, registry)
    tune, metric = asked.tune, None
    if tune != NONE:
        if not grids:
            raise ParameterError(f"tune={tune} chooses among the points of a grid, and there is none: give a grid.")
        metric = _tune_metric(asked.tune_metric or first_external(asked.metrics), registry)
    facts = {
        "seed": asked.seed, "evaluate": "all" if every == 1 else asked.evaluate, "future": asked.future,
        "threads": asked.threads, "command": asked.command or "",
        "experiments": () if asked.name is None else (asked.name,),
        "order_kinds": (asked.order if isinstance(asked.order, str) and asked.order in ORDERS else LISTED,),
    }  # fmt: skip
    labels = _labels(gridded, tune)
    planner = _Planner(facts, labels, baselines=asked.baselines, solo=asked.solo, tuning=tune != NONE)
    streams = configured_streams(asked.streams)
    _check_size(asked, gridded, streams)
    for stream in streams:
        orders = plan_orders(asked.order, stream.task_names, repeats=asked.repeats, seed=asked.seed, stream=stream.name)
        if tune != NONE and RULES[tune].at_arrival and not all(is_scored(1, len(tasks), every) for _, tasks in orders):
            raise ParameterError(
                f"tune={tune} looks at the first task right after it was learned, and evaluate={asked.evaluate} does "
                "not score it then: use evaluate=all."
            )
        turns = _turns(orders)
        for entry in gridded:
            if entry.points and metric is not None:
                planner.add_tuned(entry, stream, turns, tune, metric)
            else:
                for method in entry.methods:
                    planner.add_plain(method, stream, turns)
    return planner.plan(metric)


def _check_size(asked: Experiment, gridded: Sequence[GriddedEntry], streams: Sequence[ConfiguredStream]) -> None:
    """Refuses an experiment of too many runs before any is planned; baselines are not counted."""
    runs = 0
    for stream in streams:
        plain, with_solos = (
            asked.repeats * runs_in_a_repeat(asked.order, stream.task_names, stream.name, alone=alone)
            for alone in (False, _learns_alone(stream, asked.solo))
        )
        for entry in gridded:
            no_solos = entry.entry.setting == Setting.SINGLE_TASK.value or (asked.tune != NONE and entry.points)
            runs += (plain if no_solos else with_solos) * (len(entry.points) or 1)
    if runs > MOST_RUNS:
        raise ParameterError(
            f"These are at least {runs:,} runs, and {MOST_RUNS:,} are the most that one experiment may have: lower "
            "repeats, or leave out methods, values of a grid, streams or their tasks; --no-solo learns none alone."
        )


def tuned_label(gridded: GriddedEntry, protocol: str) -> str:
    """The label of a tuned method in every table."""
    return f"{gridded.entry.label} ({protocol})"


class _Column:
    """The runs of one method on one stream: all that they have in common, and their ids."""

    def __init__(self, like: RunRecord, method: ConfiguredMethod, stream: ConfiguredStream) -> None:
        self.like = like
        self._method = method
        self._stream = stream
        identity = like.identity
        texts = [f'"{name}":{canonical_json(identity[name])}' for name in sorted(identity)]
        own = sorted(identity).index("order")  # `repeat` comes next
        self._head = "{" + "".join(f"{text}," for text in texts[:own]) + '"order":'
        self._tail = "".join(f",{text}" for text in texts[own + 2 :]) + "}"

    def run_id(self, turn: _Turn) -> str:
        """Equals the `run_id` of the record, but encodes what runs share only once."""
        text = f'{self._head}{turn.text},"repeat":{turn.repeat}{self._tail}'
        return hashlib.sha256(text.encode()).hexdigest()

    def planned(self, turn: _Turn, run_id: str, baseline: str | None = None, *, solo: bool = False) -> PlannedRun:
        """The run of one turn."""
        return PlannedRun(
            self.like, self._method, self._stream, turn.order, turn.repeat, run_id, turn.number, baseline, solo
        )


class _Turn(NamedTuple):
    """One order of the tasks of a stream, in one repeat; `text` is the order as JSON."""

    number: int
    repeat: int
    order: Order
    text: str


def _turns(orders: Iterable[tuple[int, Order]]) -> list[_Turn]:
    """The turns of a stream; equal orders are kept once."""
    known: dict[Order, tuple[Order, str]] = {}
    return [
        _Turn(number, repeat, *known.setdefault(order, (order, canonical_json(order))))
        for number, (repeat, order) in enumerate(orders)
    ]


class _Planner:
    """Collects planned runs, each once."""

    def __init__(
        self, facts: Mapping[str, Any], labels: Mapping[Any, str], *, baselines: bool, solo: bool | None, tuning: bool
    ) -> None:
        self._facts = facts
        self._solo = solo
        self._labels = labels
        self._with_baselines = baselines
        self._tuning = tuning
        self._asked: set[str] = set()  # if some are wanted only by tuning
        self._runs: dict[str, PlannedRun] = {}
        self._columns: dict[tuple[int, int], _Column] = {}
        self._baseline_ids: dict[tuple[int, int], list[str]] = {}
        self._tuned: list[TunedRun] = []

    def plan(self, metric: str | None) -> Plan:
        """The plan of all runs that were added."""
        searched = {run_id for tuned in self._tuned for run_id in tuned.candidates} - self._asked
        return Plan(list(self._runs.values()), self._tuned, metric, frozenset(searched))

    def add_plain(self, method: ConfiguredMethod, stream: ConfiguredStream, turns: Sequence[_Turn]) -> None:
        """Adds the runs of a method on a stream, each after its baseline, and those that learn each task alone."""
        column = self._column(method, stream)
        solos = None
        if _learns_alone(stream, self._solo) and method.setting != Setting.SINGLE_TASK.value:
            solos = _Column(column.like.solo(""), method, stream)
        tasks = {task: canonical_json([task]) for task in stream.task_names}
        repeat, seen = -1, set[str]()
        for turn in turns:
            run_id = self._add(column, turn, self._baseline(method, stream, turn))
            if self._tuning:
                self._asked.add(run_id)
            if solos is None:
                continue
            if turn.repeat != repeat:
                repeat, seen = turn.repeat, set()
            for task in turn.order:
                if task not in seen:
                    seen.add(task)
                    self._add_solo(solos, turn._replace(order=(task,), text=tasks[task]))

    def add_tuned(
        self, gridded: GriddedEntry, stream: ConfiguredStream, turns: Sequence[_Turn], protocol: str, metric: str
    ) -> None:
        """Adds the runs of every point of a grid, and the tuned runs that are chosen among them."""
        rule = RULES[protocol]
        entry = gridded.entry
        points = tuple(_plain(point.values) for point in gridded.points)
        over = content_id([[list(turn.order), turn.repeat] for turn in turns]) if rule.together else None
        tune = {"protocol": protocol, "grid": list(points), "metric": rule.metric or metric, "over": over}
        like = self._like(entry, stream)
        like.tune, like.label = tune, tuned_label(gridded, protocol)
        like.note = tuned_note(protocol, points, entry.note)
        alone = _learns_alone(stream, self._solo) and entry.setting != Setting.SINGLE_TASK.value
        columns = [self._column(point.entry, stream) for point in gridded.points]
        own = self._column(entry, stream)
        for turn in turns:
            pairs = []
            for point, column in zip(gridded.points, columns, strict=True):
                baseline = self._baseline(point.entry, stream, turn)
                pairs.append((self._add(column, turn, baseline), baseline))
            record = like.blank()
            record.order, record.repeat = turn.order, turn.repeat
            self._tuned.append(
                TunedRun(
                    record=record,
                    method=entry,
                    stream=stream,
                    run_id=record.run_id,
                    points=points,
                    candidates=tuple([run_id for run_id, _ in pairs]),
                    baselines=tuple([baseline for _, baseline in pairs]),
                    untuned=own.run_id(turn),
                    solo=alone,
                )
            )

    def _baseline(self, method: ConfiguredMethod, stream: ConfiguredStream, turn: _Turn) -> str | None:
        """The id of the run of a method's baseline in a turn, which is added; None if it has none."""
        baseline = method.baseline
        if not self._with_baselines or baseline is None:
            return None
        ids = self._baseline_ids.setdefault((id(baseline), id(stream)), [])
        if turn.number == len(ids):
            ids.append(self._add(self._column(baseline, stream), turn, None))
            if self._tuning:
                self._asked.add(ids[-1])
        return ids[turn.number]

    def _add(self, column: _Column, turn: _Turn, baseline: str | None) -> str:
        """Adds a run unless it is there, and returns its id."""
        run_id = column.run_id(turn)
        known = self._runs.get(run_id)
        if known is None or known.solo:  # a run that was asked for knows its baseline
            self._runs[run_id] = column.planned(turn, run_id, baseline)
        return run_id

    def _add_solo(self, column: _Column, turn: _Turn) -> None:
        """Adds the run in which a method that could learn from other tasks learns this one alone."""
        run_id = column.run_id(turn)
        if run_id not in self._runs:
            self._runs[run_id] = column.planned(turn, run_id, solo=True)

    def _column(self, method: ConfiguredMethod, stream: ConfiguredStream) -> _Column:
        key = id(method), id(stream)
        if key not in self._columns:
            self._columns[key] = _Column(self._like(method, stream), method, stream)
        return self._columns[key]

    def _like(self, method: ConfiguredMethod, stream: ConfiguredStream) -> RunRecord:
        """A record of what the runs of a method on a stream have in common."""
        return RunRecord(
            method=method.name, revision=method.revision, params=method.params, setting=method.setting,
            stream=stream.name, stream_params=stream.params, stream_digest=stream.digest, stream_label=stream.label,
            stream_tasks=stream.task_names, order=(), repeat=0, label=self._labels.get(method.identity, method.label),
            note=method.note, **self._facts,
        )  # fmt: skip


def _learns_alone(stream: ConfiguredStream, solo: bool | None) -> bool:
    """True if the tasks of a stream are also learned alone; where the user does not say, if they are not too many."""
    return len(stream.task_names) <= MOST_TASKS_ALONE if solo is None else solo


def _tune_metric(name: str | None, registry: Registry) -> str:
    """The key of the metric that protocols with labels choose by."""
    name = name or next(iter(default_metrics()), None)
    if name is None:
        raise ParameterError("Tuning needs a metric that compares with labels: name one with tune_metric.")
    key = metric_key(name, registry)
    spec = registry.metrics[key.partition(":")[0]]
    if spec.kind is not MetricKind.EXTERNAL:
        raise ParameterError(
            f"tune_metric takes a metric that compares with labels, and '{spec.name}' does not: "
            f"{' or '.join(f'tune={name}' for name, rule in RULES.items() if rule.metric)} chooses without labels."
        )
    return key


def _labels(gridded: Sequence[GriddedEntry], tune: str) -> dict[Any, str]:
    """Maps each method to its label. The user's own names come first; two methods with one label are refused."""
    plain = [entry for entry in gridded if not entry.points]
    varied = [entry for entry in gridded if entry.points]
    labels: dict[Any, str] = {}
    for method in [method for entry in (*plain, *varied) for method in entry.methods]:
        same = labels.setdefault(method.identity, method.label)
        if same != method.label and tune == NONE:
            logger.warning("'%s' is the same method as '%s': it is run once, as that.", method.label, same)
    names = list(labels.values())
    if tune != NONE:
        names += [tuned_label(entry, tune) for entry in varied]
    taken = set(names)
    if len(taken) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ParameterError(f"Two entries are called '{twice}': give one of them another name, as in mine=l2sc.")
    for method in [*(entry.entry for entry in varied), *(method for entry in gridded for method in entry.methods)]:
        baseline = method.baseline
        if baseline is not None and baseline.label in taken and baseline.identity not in labels:  # two would seem one
            raise ParameterError(
                f"'{baseline.label}' is the baseline of '{method.label}': call your other entry something else."
            )
    return labels


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as JSON would read them back: tuples become lists."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}

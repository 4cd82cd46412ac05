"""Plans the runs of an experiment: every method on every stream, order and repeat."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

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
MOST_RUNS = 1_000_000  # of one experiment: to plan as many takes some 3 GB
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
    grids = as_grids(asked.grid)
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
    planner = _Planner(facts, _labels(gridded, tune), baselines=asked.baselines, solo=asked.solo)
    streams = configured_streams(asked.streams)
    _check_size(asked, gridded, streams)
    for stream in streams:
        orders = plan_orders(asked.order, stream.task_names, repeats=asked.repeats, seed=asked.seed, stream=stream.name)
        if tune != NONE and RULES[tune].at_arrival and not all(is_scored(1, len(tasks), every) for _, tasks in orders):
            raise ParameterError(
                f"tune={tune} looks at the first task right after it was learned, and evaluate={asked.evaluate} does "
                "not score it then: use evaluate=all."
            )
        for entry in gridded:
            if entry.points and metric is not None:
                planner.add_tuned(entry, stream, orders, tune, metric)
            else:
                for method in _methods([entry]):
                    planner.add_plain(method, stream, orders)
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


class _Planner:
    """Collects planned runs, each once. Run ids are hashes of long texts: each id is computed once."""

    def __init__(
        self, facts: Mapping[str, Any], labels: Mapping[Any, str], *, baselines: bool, solo: bool | None
    ) -> None:
        self._facts = facts
        self._solo = solo
        self._labels = labels
        self._label_of: dict[int, str] = {}
        self._with_baselines = baselines
        self._runs: dict[str, PlannedRun] = {}
        self._ids: dict[tuple[int, int, int, Order], str] = {}
        self._texts: dict[tuple[str, Any], str] = {}
        self._tuned: list[TunedRun] = []
        self._asked: set[str] = set()

    def plan(self, metric: str | None) -> Plan:
        """The plan of all runs that were added."""
        searched = {run_id for tuned in self._tuned for run_id in tuned.candidates} - self._asked
        return Plan(list(self._runs.values()), self._tuned, metric, frozenset(searched))

    def add_plain(
        self, method: ConfiguredMethod, stream: ConfiguredStream, orders: Sequence[tuple[int, Order]]
    ) -> None:
        """Adds the runs of a method on a stream, each after its baseline, and those that learn each task alone."""
        for turn, (repeat, order) in enumerate(orders):
            run_id, _ = self._add(method, stream, repeat, order, turn)
            self._asked.add(run_id)
            if _learns_alone(stream, self._solo):
                for task in order:
                    self._add_solo(self._runs[run_id], task)

    def add_tuned(
        self,
        gridded: GriddedEntry,
        stream: ConfiguredStream,
        orders: Sequence[tuple[int, Order]],
        protocol: str,
        metric: str,
    ) -> None:
        """Adds the runs of every point of a grid, and the tuned runs that are chosen among them."""
        rule = RULES[protocol]
        points = tuple(_plain(point.values) for point in gridded.points)
        tune = {
            "protocol": protocol,
            "grid": list(points),
            "metric": rule.metric or metric,
            "over": content_id([[list(order), repeat] for repeat, order in orders]) if rule.together else None,
        }
        note = tuned_note(protocol, points, gridded.entry.note)
        for turn, (repeat, order) in enumerate(orders):
            pairs = [self._add(point.entry, stream, repeat, order, turn) for point in gridded.points]
            record = self._record(
                gridded.entry, stream, repeat, order, tune=tune, label=tuned_label(gridded, protocol), note=note
            )
            self._tuned.append(
                TunedRun(
                    record=record,
                    method=gridded.entry,
                    stream=stream,
                    run_id=record.run_id,
                    points=points,
                    candidates=tuple(run_id for run_id, _ in pairs),
                    baselines=tuple(baseline for _, baseline in pairs),
                    untuned=self._run_id(self._record(gridded.entry, stream, repeat, order), gridded.entry, stream),
                    solo=_learns_alone(stream, self._solo) and record.setting != Setting.SINGLE_TASK.value,
                )
            )

    def _add(
        self, method: ConfiguredMethod, stream: ConfiguredStream, repeat: int, order: Order, turn: int
    ) -> tuple[str, str | None]:
        """Adds a run and its baseline, and returns the ids of both."""
        baseline = None
        if self._with_baselines and method.baseline is not None:
            baseline = self._add_one(method.baseline, stream, repeat, order, turn, None)
            self._asked.add(baseline)
        return self._add_one(method, stream, repeat, order, turn, baseline), baseline

    def _add_one(
        self,
        method: ConfiguredMethod,
        stream: ConfiguredStream,
        repeat: int,
        order: Order,
        turn: int,
        baseline: str | None,
    ) -> str:
        key = (id(method), id(stream), repeat, order)
        if key not in self._ids:
            record = self._record(method, stream, repeat, order, baseline=baseline)
            self._ids[key] = run_id = self._run_id(record, method, stream)
            known = self._runs.get(run_id)
            if known is None or known.solo:  # a run that was asked for knows its baseline
                self._runs[run_id] = PlannedRun(record, method, stream, run_id, turn)
        return self._ids[key]

    def _add_solo(self, planned: PlannedRun, task: str) -> None:
        """Adds the run in which a method that could learn from other tasks learns this one alone."""
        if planned.record.setting == Setting.SINGLE_TASK.value:
            return
        record = planned.record.solo(task)
        run_id = self._run_id(record, planned.method, planned.stream)
        if run_id not in self._runs:
            self._runs[run_id] = replace(planned, record=record, run_id=run_id, solo=True)

    def _record(
        self, method: ConfiguredMethod, stream: ConfiguredStream, repeat: int, order: Order, **more: Any
    ) -> RunRecord:
        if "label" not in more:
            more |= {"label": self._label(method), "note": method.note}
        return RunRecord(
            method=method.name, revision=method.revision, params=method.params, setting=method.setting,
            stream=stream.name, stream_params=stream.params, stream_digest=stream.digest, stream_label=stream.label,
            stream_tasks=stream.task_names, order=order, repeat=repeat, **self._facts, **more,
        )  # fmt: skip

    def _run_id(self, record: RunRecord, method: ConfiguredMethod, stream: ConfiguredStream) -> str:
        """Equals `record.run_id` of an untuned run, but encodes the parts that runs share only once."""
        shared = {
            "method": id(method), "stream": id(stream), "order": record.order, "repeat": record.repeat,
            "seed": 0, "threads": 0, "evaluate": (record.evaluate, record.future), "tune": 0,
        }  # fmt: skip
        identity = record.identity
        texts = []
        for name in sorted(identity):
            part = (name, shared[name])
            if part not in self._texts:
                self._texts[part] = f'"{name}":{canonical_json(identity[name])}'
            texts.append(self._texts[part])
        return hashlib.sha256(f"{{{','.join(texts)}}}".encode()).hexdigest()

    def _label(self, method: ConfiguredMethod) -> str:
        if id(method) not in self._label_of:
            self._label_of[id(method)] = self._labels.get(method.identity, method.label)
        return self._label_of[id(method)]


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


def _methods(gridded: Iterable[GriddedEntry]) -> Iterator[ConfiguredMethod]:
    """The methods that are run: the points of an entry's grid, or the entry itself if it has none."""
    for entry in gridded:
        yield from [point.entry for point in entry.points] or [entry.entry]


def _labels(gridded: Sequence[GriddedEntry], tune: str) -> dict[Any, str]:
    """Maps each method to its label. The user's own names come first; two methods with one label are refused."""
    plain = [entry for entry in gridded if not entry.points]
    varied = [entry for entry in gridded if entry.points]
    labels: dict[Any, str] = {}
    for method in (*_methods(plain), *_methods(varied)):
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
    _check_baseline_labels([*(entry.entry for entry in varied), *_methods(gridded)], labels, taken)
    return labels


def _check_baseline_labels(methods: Iterable[ConfiguredMethod], labels: Mapping[Any, str], taken: set[str]) -> None:
    """Refuse an alias that is the name of another method's baseline: tables would take the two for one."""
    for method in methods:
        baseline = method.baseline
        if baseline is not None and baseline.label in taken and baseline.identity not in labels:
            raise ParameterError(
                f"'{baseline.label}' is the baseline of '{method.label}': call your other entry something else."
            )


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as JSON would read them back: tuples become lists."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}

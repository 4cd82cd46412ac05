"""Methods times streams times orders times repeats: planned first, then run one after the other."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.entries import MethodEntry, StreamEntry, method_entries, stream_entries, unlabelled
from lcbench.errors import ContractError, LcbenchError, ParameterError
from lcbench.events import Events
from lcbench.loading import build_metric, resolve
from lcbench.names import format_entry
from lcbench.orders import plan_orders
from lcbench.plugins import plugin_host
from lcbench.record import FAILED, RunRecord
from lcbench.registry import Registry
from lcbench.results import Results
from lcbench.schedule import parse_evaluate
from lcbench.seeds import method_seed
from lcbench.specs import MetricKind

if TYPE_CHECKING:
    from lcbench.harness import Step
    from lcbench.metric import Metric

logger = logging.getLogger(__name__)

DEFAULT_METHODS = ("l2sc", "stsc")
DEFAULT_STREAMS = ("digits",)
DEFAULT_METRICS = ("purity", "nmi", "ri")
DEFAULT_INTERNAL_METRICS = ("silhouette",)  # of streams without labels


@dataclass(frozen=True, slots=True, eq=False)
class PlannedRun:
    """A run that is still to be done: its empty record, and what it is made from. It pickles."""

    record: RunRecord
    method: MethodEntry
    stream: StreamEntry


def run(
    methods: Any = DEFAULT_METHODS,
    streams: Any = DEFAULT_STREAMS,
    *,
    order: str | Sequence[str] = "fixed",
    repeats: int = 1,
    seed: int = 0,
    metrics: str | Sequence[str] | None = None,
    evaluate: str = "all",
    future: bool = False,
    threads: int = 1,
    baselines: bool = True,
    out: str | Path | None = None,
    listeners: Sequence[object] = (),
) -> Results:
    """Run every method on every stream and return the records.

    Parameters
    ----------
    methods, streams
        Names with parameters (`"l2sc:lam=10"`), instances of Clusterer and TaskStream, or a mapping from labels to
        either. A stream may also be the path of a folder (`"./my-stream:label=topic"`).
    order
        `"fixed"`, `"random"`, `"all"` (every permutation of up to five tasks), or a list of task names.
    repeats, seed
        Each repeat has its own seeds, and with `order="random"` its own order; all come from `seed`.
    metrics
        What is shown: by default purity, nmi and ri, and silhouette for streams without labels. All external
        metrics are computed always where there are labels, internal ones only when they are named here.
    evaluate, future
        After which tasks all seen so far are scored: `"all"`, `"last"` or `"every:N"`; with `future` also the tasks
        still to come, for methods that can.
    threads
        BLAS and OpenMP threads of a run.
    baselines
        Whether to run the single-task baseline that a method's spec names, with the parameters both share.
    out
        A folder to write each run to as it ends.
    listeners
        Objects with methods marked `@hookimpl` for the event hooks.
    """
    plan = plan_runs(
        methods, streams,
        order=order, repeats=repeats, seed=seed, evaluate=evaluate, future=future, threads=threads, baselines=baselines,
    )  # fmt: skip
    return run_plan(plan, metrics=metrics, out=out, listeners=listeners)


def run_plan(
    plan: Sequence[PlannedRun],
    *,
    metrics: str | Sequence[str] | None = None,
    out: str | Path | None = None,
    listeners: Sequence[object] = (),
) -> Results:
    """Carry out planned runs one after the other; the parameters are those of `run`."""
    host = plugin_host()
    asked = [metrics] if isinstance(metrics, str) else list(metrics or ())
    check_metrics(asked)
    streams = list({id(planned.stream): planned.stream for planned in plan}.values())
    for stream in streams:
        stream.tasks()  # data that cannot be had must not stop an experiment half-way
    metrics = asked or _default_metrics(streams)
    computed = load_metrics(metrics, host.registry)
    _warn_about_labels(streams, metrics, host.registry)
    if out is not None:
        from lcbench.store import RunStore

        listeners = (*listeners, RunStore(out))
    events = Events(host.manager, listeners)
    records = [execute(planned, computed, events) for planned in plan]
    return Results(records, list(dict.fromkeys(metric_key(name, host.registry) for name in metrics)))


def plan_runs(
    methods: Any,
    streams: Any,
    *,
    order: str | Sequence[str] = "fixed",
    repeats: int = 1,
    seed: int = 0,
    evaluate: str = "all",
    future: bool = False,
    threads: int = 1,
    baselines: bool = True,
) -> list[PlannedRun]:
    """The runs of an experiment, each once, every baseline before the methods it is for. Loads no data."""
    _check_count("repeats", repeats)
    _check_count("threads", threads)
    _check_count("seed", seed, least=0)
    evaluate = "all" if parse_evaluate(evaluate) == 1 else evaluate
    registry = plugin_host().registry
    method_list = method_entries(methods, registry)
    asked = {(m.name, _key(m.params)): m.label for m in method_list}
    _check_baseline_labels(method_list, asked)
    plan: dict[str, PlannedRun] = {}
    for stream in stream_entries(streams):
        orders = plan_orders(order, stream.task_names, repeats=repeats, seed=seed, stream=stream.name)
        for method in method_list:
            for repeat, chosen in orders:
                baseline_id = None
                for entry in (method.baseline if baselines else None, method):
                    if entry is None:
                        continue
                    record = RunRecord(
                        method=entry.name, revision=entry.revision, params=entry.params, setting=entry.setting,
                        stream=stream.name, stream_params=stream.params, stream_digest=stream.digest,
                        order=chosen, seed=seed, repeat=repeat, evaluate=evaluate, future=future, threads=threads,
                        label=asked.get((entry.name, _key(entry.params)), entry.label), stream_label=stream.label,
                        note=entry.note, baseline=baseline_id,
                    )  # fmt: skip
                    plan.setdefault(record.run_id, PlannedRun(record, entry, stream))
                    baseline_id = record.run_id
    return list(plan.values())


def execute(planned: PlannedRun, metrics: Mapping[str, Metric], events: Events) -> RunRecord:
    """Carry out one run in this process. What its method does wrong becomes a record with status `failed`."""
    from lcbench.environment import environment_facts

    record = planned.record.blank()
    tasks = {t.name: t for t in planned.stream.tasks()}
    record.environment = environment_facts()
    events.fire("lcbench_run_started", run=record)
    steps = _steps(planned, [tasks[name] for name in record.order], metrics)
    while True:
        try:
            step = next(steps, None)
        except (Exception, SystemExit) as error:
            record.status, record.error = FAILED, _describe(error, planned, record.order[len(record.learn_seconds)])
            logger.debug("run %s failed", record.run_id, exc_info=True)
            break
        if step is None:
            break
        record.add_step(step)
        events.fire("lcbench_task_learned", run=record, step=step)
    events.fire("lcbench_run_finished", run=record)
    return record


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


def _default_metrics(streams: Sequence[StreamEntry]) -> list[str]:
    """External metrics if any task has labels, internal ones if any has none."""
    missing = [len(unlabelled(stream.tasks())) for stream in streams]
    some = any(count < len(stream.tasks()) for count, stream in zip(missing, streams, strict=True))
    return [*(DEFAULT_METRICS if some or not streams else ()), *(DEFAULT_INTERNAL_METRICS if any(missing) else ())]


def _warn_about_labels(streams: Sequence[StreamEntry], metrics: Sequence[str], registry: Registry) -> None:
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


def _steps(planned: PlannedRun, tasks: Sequence[Any], metrics: Mapping[str, Metric]) -> Iterator[Step]:
    """The steps of a run. Threads are limited and the global generators are the method's own only inside each step."""
    from lcbench.harness import replay
    from lcbench.randomness import GlobalGenerators
    from lcbench.threads import ThreadLimit

    record = planned.record
    seed = method_seed(record.seed, record.stream, record.order, record.method, record.repeat)
    generators = GlobalGenerators(seed)
    with generators:
        method = planned.method.build(seed)
        limit = ThreadLimit(record.threads)  # after the method, which may have brought libraries of its own
        steps = replay(method, tasks, metrics, evaluate=record.evaluate, future=record.future)
    while True:
        with limit, generators:
            step = next(steps, None)
        if step is None:
            return
        yield step


def _describe(error: BaseException, planned: PlannedRun, task: str) -> str:
    if isinstance(error, ContractError):
        return f"{error} The fault is in {planned.method.blame}."
    if isinstance(error, LcbenchError):
        return str(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}, at task '{task}'"
    return f"{planned.method.blame} raised {type(error).__name__}: {error} ({where})"


def _check_baseline_labels(methods: Sequence[MethodEntry], asked: Mapping[tuple[str, str], str]) -> None:
    """Refuse an alias that is the name of another method's baseline: tables would take the two for one."""
    for method in methods:
        baseline = method.baseline
        if baseline is None or (baseline.name, _key(baseline.params)) in asked:
            continue
        if baseline.label in asked.values():
            raise ParameterError(
                f"'{baseline.label}' is the baseline of '{method.label}': call your other entry something else."
            )


def _check_count(name: str, value: Any, least: int = 1) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ParameterError(f"{name} takes a whole number of at least {least}, not {value!r}.")


def _key(params: Mapping[str, Any]) -> str:
    return repr(sorted(params.items()))

"""Methods times streams times orders times repeats: the runs of an experiment, before any of them is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lcbench.entries import MethodEntry, StreamEntry, method_entries, stream_entries
from lcbench.errors import ParameterError
from lcbench.orders import plan_orders
from lcbench.plugins import plugin_host
from lcbench.record import RunRecord
from lcbench.schedule import parse_evaluate


@dataclass(frozen=True, slots=True, eq=False)
class PlannedRun:
    """A run that is still to be done: its empty record, and what it is made from. It pickles."""

    record: RunRecord
    method: MethodEntry
    stream: StreamEntry


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

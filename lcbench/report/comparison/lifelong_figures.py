"""The table of lifelong figures of methods: averages, transfer, forgetting, gains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lcbench.analysis.compare import ComparedStream
from lcbench.analysis.run_scores import Spread
from lcbench.records.formulas import FORMULAS, Formula
from lcbench.registry.metrics import is_percent
from lcbench.report import numbers
from lcbench.report.comparison.notes import labels_by
from lcbench.report.sheets.sheet import Cell, Sheet

_HEADERS = {"average_at_arrival": "at arrival", "average_after_all": "after all"}


def figure_sheet(stream: ComparedStream, metric: str) -> list[Sheet]:
    """A table with a row per method and a column per figure that some method has; empty list if none has one."""
    shown = [f for f in FORMULAS if any((m.label, metric, f.name) in stream.figures for m in stream.methods)]
    if not shown:
        return []
    rows = tuple(
        (
            Cell(method.label),
            *(_cell(metric, f, stream.figures.get((method.label, metric, f.name))) for f in shown),
            Cell(numbers.seconds(method.learn_seconds), tone="dim" if method.learn_seconds is None else ""),
        )
        for method in stream.methods
    )
    header = ("method", *map(_header, shown), "learn s")
    unit = " in percent" if is_percent(metric) else ""
    notes = [*_fewer(stream, metric, shown), *_baselines(stream, shown)]
    if any("agreement" in f.needs for f in shown):
        notes.append(
            "Partition drift: the adjusted Rand index of a task's partition at the end with its first; 1 is none."
        )
    notes.append(f"Formulas by id: {', '.join(f'{_header(f)} {f.id}' for f in shown)}.")
    return [
        Sheet(f"{stream.label}: lifelong figures by {metric}{unit}, means over runs", header, rows, 1, (), tuple(notes))
    ]


def _header(formula: Formula) -> str:
    return _HEADERS.get(formula.name, formula.name.replace("_", " "))


def _baselines(stream: ComparedStream, shown: Sequence[Formula]) -> Iterator[str]:
    """Name the single-task baselines that transfer and gains are measured against."""
    if not any("alone" in f.needs for f in shown):
        return
    of = labels_by((method.label, method.baseline) for method in stream.methods if method.baseline is not None)
    whose = "; ".join(f"{baseline} for {', '.join(labels)}" for baseline, labels in of.items())
    yield (
        f"Learning transfer and the gains are over each method's own single-task baseline: {whose}. The gain of the "
        "first task is no transfer: nothing was learned before it."
    )


def _fewer(stream: ComparedStream, metric: str, shown: Sequence[Formula]) -> Iterator[str]:
    """Name the figures that only some of a method's successful runs have."""
    for method in stream.methods:
        counts = {
            f.name: s.count for f in shown if (s := stream.figures.get((method.label, metric, f.name))) is not None
        }
        short = [f"{name.replace('_', ' ')} {count}" for name, count in counts.items() if count < method.done]
        if short:
            yield f"{method.label}: of {method.done} runs these figures are over fewer: {', '.join(short)}."


def _cell(metric: str, formula: Formula, spread: Spread | None) -> Cell:
    if spread is None:
        return Cell(numbers.MISSING, tone="dim")
    if "R" not in formula.needs:  # not a score, so not in the metric's unit
        return Cell(f"{spread.mean:.3f}")
    return Cell(numbers.score(metric, spread.mean, signed="minus" in formula.id))

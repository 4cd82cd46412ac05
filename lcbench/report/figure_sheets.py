"""The lifelong figures of all methods on a stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lcbench.report import numbers
from lcbench.report.compared import ComparedStream, Spread
from lcbench.report.sheet import Cell, Sheet
from lcbench.transfer import FORMULAS, Formula

_HEADERS = {"average_at_arrival": "at arrival", "average_after_all": "after all"}


def figure_sheet(stream: ComparedStream, metric: str) -> list[Sheet]:
    """A row per method, a column per figure that some method has; nothing where there is none."""
    shown = [f for f in FORMULAS if any((m.label, metric, f.name) in stream.figures for m in stream.methods)]
    if not shown:
        return []
    rows = tuple(
        (Cell(method.label), *(_cell(metric, f, stream.figures.get((method.label, metric, f.name))) for f in shown))
        for method in stream.methods
    )
    header = ("method", *(_HEADERS.get(f.name, f.name.replace("_", " ")) for f in shown))
    unit = " in percent" if numbers.is_percent(metric) else ""
    notes = [*_fewer(stream, metric, shown), "docs/formulas.md has the formulas of these figures."]
    if any("agreement" in f.needs for f in shown):
        notes.append(
            "Partition drift: the adjusted Rand index of a task's partition at the end with its first; 1 is none."
        )
    return [
        Sheet(f"{stream.label}: lifelong figures by {metric}{unit}, means over runs", header, rows, 1, (), tuple(notes))
    ]


def _fewer(stream: ComparedStream, metric: str, shown: Sequence[Formula]) -> Iterator[str]:
    """Which figures are means over a part of the runs that ended well."""
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

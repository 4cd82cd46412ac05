"""Sums up a reproduction: the best method in the paper and here, and what is off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lcbench.analysis.published.verdicts import DECIMALS, OFF, Reproduced, ReproducedMethod
from lcbench.analysis.run_scores import AVERAGE
from lcbench.registry.metrics import greater_is_better
from lcbench.report.sheets.sheet import Cell, Sheet

SAME, ANOTHER = "same", "another"


class Lead(NamedTuple):
    """The method with the best average, its distance to the second best, and the name of that."""

    first: str
    average: float
    before: float
    second: str

    def __str__(self) -> str:
        margin = f"{self.before:.{DECIMALS}f} before" if self.before else "level with"
        return f"{self.first} {self.average:.{DECIMALS}f}, {margin} {self.second}"


def summary_sheet(reproduced: Reproduced) -> Sheet | None:
    """The best method under each metric, and the number of methods that are off; the file's closing words come last.

    If the paper had other data, its best method is not shown. None if there is nothing to show.
    """
    same_data = reproduced.published.same_data
    rows = []
    for metric in reproduced.published.figures:
        paper, ours = leads(reproduced.methods, metric)
        if ours is not None and paper is not None:
            verdict = Cell(SAME, tone="good") if ours.first == paper.first else Cell(ANOTHER, tone="bad")
            claim = (Cell(str(paper)), Cell(str(ours)), verdict) if same_data else (Cell(str(ours)),)
            rows.append((Cell(metric), *claim))
    closing = reproduced.published.closing
    done = [method for method in reproduced.methods if method.done]
    notes = [*_lacking(reproduced.methods), *([_off(done)] if same_data and done else [])]
    notes += [closing] if closing else []
    if not rows and not notes:
        return None
    header = ("metric", "in the paper", "here", "winner") if same_data else ("metric", "here")
    return Sheet(
        title=f"First of {len(reproduced.methods)} methods by average" if rows else "In short",
        header=header,
        rows=tuple(rows),
        stub=len(header),
        notes=tuple(notes),
    )


def leads(methods: Sequence[ReproducedMethod], metric: str) -> tuple[Lead | None, Lead | None]:
    """The best method as printed, and in our runs; None with fewer than two methods to compare."""
    cells = {method.name: method.cell(metric, AVERAGE) for method in methods}
    printed = {name: cell.paper.mean for name, cell in cells.items()}
    ours = {name: cell.ours.mean for name, cell in cells.items() if cell.ours is not None}
    return _lead(printed, metric), _lead(ours, metric)


def _lead(averages: dict[str, float], metric: str) -> Lead | None:
    """The best of some averages; they count as they are shown, with two decimals."""
    if len(averages) < 2:
        return None
    shown = {name: round(average, DECIMALS) for name, average in averages.items()}
    first, second = sorted(shown, key=lambda name: shown[name], reverse=greater_is_better(metric))[:2]
    return Lead(first, shown[first], round(abs(shown[first] - shown[second]), DECIMALS), second)


def _lacking(methods: Sequence[ReproducedMethod]) -> list[str]:
    """A note that names the methods without a successful run."""
    names = [method.name for method in methods if not method.done]
    return [f"Here without {', '.join(names)}: no run came to its end."] if names else []


def _off(methods: Sequence[ReproducedMethod]) -> str:
    """A sentence on how many methods are off, and in which direction."""
    off = [
        (method.name, (cell.difference > 0) == greater_is_better(cell.metric))
        for method in methods
        for cell in method.cells
        if cell.task == AVERAGE and cell.verdict == OFF and cell.difference is not None
    ]
    count = len(methods)
    if not off:
        return f"None of {count} methods is off in an average." if count > 1 else "No average is off."
    names, better = {name for name, _ in off}, sum(is_better for _, is_better in off)
    said = f"{len(names)} of {count} methods {'is' if len(names) == 1 else 'are'} off in"
    if len(off) == 1:
        return f"{said} one average, which is {'better' if better else 'worse'} than printed."
    which = f"{better} are better than printed and {len(off) - better} worse"
    if better in (0, len(off)):
        which = f"all are {'better' if better else 'worse'} than printed"
    return f"{said} some average; of {'its' if len(names) == 1 else 'their'} {len(off)} averages that are off, {which}."

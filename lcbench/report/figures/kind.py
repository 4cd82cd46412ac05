"""Describes a kind of figure, and finds all kinds: one per file in the folder `kinds`.

Light: needs no matplotlib.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lcbench.analysis.selection import Selection
from lcbench.errors import ParameterError, did_you_mean
from lcbench.records.record import OK
from lcbench.report.figures import kinds
from lcbench.report.figures.chart import Chart

Build: TypeAlias = Callable[[Selection, Sequence[str], Sequence[str]], Iterable[Chart | None]]
Notes: TypeAlias = Callable[[Selection, Sequence[str]], list[str]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of figure; a file in the folder `kinds` has it as `KIND`.

    `build` makes the figures of the selected runs by the metrics to show, and is told the methods that the user
    named; None stands for a figure that cannot be made. `notes` are sentences on what it leaves out. There is a file
    `per` such thing. With `parts` it needs runs over a part of the tasks, with `candidates` the points of tuned grids.
    `lacking` is the reason why there may be nothing to draw, `options` are those of `lcbench run` that make the
    missing runs.
    """

    name: str
    summary: str
    per: str
    build: Build
    lacking: str = "no run that fits came to its end with a score"
    options: str = ""
    parts: bool = False
    candidates: bool = False
    notes: Notes = lambda selection, named: []

    def charts(self, selection: Selection, metrics: Sequence[str], named: Sequence[str] = ()) -> list[Chart]:
        """The figures of this kind that can be made from the selected runs."""
        return [chart for chart in self.build(selection, metrics, named) if chart is not None]

    def nothing_to_draw(self, selection: Selection) -> str:
        """A sentence on why no figure can be made from the selected runs, and how to make runs that it needs."""
        reason = f"{self.lacking}: 'lcbench run' with {self.options} makes such runs" if self.options else self.lacking
        if not any(run.status == OK for run in selection.runs):
            reason = "no run that fits came to its end ('lcbench results list' shows how they did)"
        return f"There is nothing to draw: {reason}."


def figure_kinds() -> list[Kind]:
    """All kinds, in the order of their names."""
    return [_kind_in(name) for name in sorted(file.name for file in pkgutil.iter_modules(kinds.__path__))]


def _kind_in(file: str) -> Kind:
    """The kind in a file of the folder, which has the name of its file."""
    module = importlib.import_module(f"{kinds.__name__}.{file}")
    kind = getattr(module, "KIND", None)
    if not isinstance(kind, Kind) or kind.name != file:
        what = f"is called '{kind.name}'" if isinstance(kind, Kind) else "is missing"
        raise ParameterError(
            f"The kind of figure in '{module.__file__}' {what}: end the file with KIND = Kind(name='{file}', ...), "
            "as those beside it do."
        )
    return kind


def find_kind(name: str) -> Kind:
    """Finds a kind by its name; refuses an unknown name with a suggestion."""
    known = {kind.name: kind for kind in figure_kinds()}
    if name.lower() not in known:
        raise ParameterError(f"There is no figure '{name}'.{did_you_mean(name, list(known))}")
    return known[name.lower()]

"""Chart: a figure as plain data before it is drawn: its panels, lines, dots, cells.

Values are in the units that the axes show. Light: needs no matplotlib.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

LINEAR, LOG, SYMLOG = "linear", "log", "symlog"
LEAST_RATIO = 30  # of the largest to the smallest value, from which an axis is logarithmic
MOST_WITH_BANDS = 6  # lines in a panel
MOST_WITH_SPREAD = 6  # names of a heat map whose cells show a standard deviation
NOT_PRINTED = ("about", "x_scale", "y_scale", "scale")  # fields with text that is no text of the figure
MOST_NUMBERED = 20  # names of a heat map whose cells show a number


@dataclass(frozen=True, slots=True)
class Series:
    """A line: means at `x`, and the sample standard deviation around each, 0 where there is one value.

    `band` are the ends of an interval at each point, drawn instead of the deviation. The first `hollow` points are
    drawn hollow: they belong to something else, such as a baseline. `style` is the number of the colour, marker and
    dashes; if None, the place of the line in its panel.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    spread: tuple[float, ...]
    hollow: int = 0
    style: int | None = None
    band: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class LinePanel:
    """Lines over one horizontal axis. `ticks` are its only ticks if given; `marked` is a value of x to point out.

    With `zero` a thin line is drawn there: the values are differences.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_scale: str = LINEAR
    y_scale: str = LINEAR
    ticks: tuple[float, ...] = ()
    marked: tuple[float, str] | None = None
    zero: bool = False


@dataclass(frozen=True, slots=True)
class Dots:
    """The values of single runs, their mean and sample standard deviation."""

    name: str
    values: tuple[float, ...]
    mean: float
    spread: float


@dataclass(frozen=True, slots=True)
class DotPanel:
    """A row of dots for each name, from top to bottom."""

    title: str
    x_label: str
    rows: tuple[Dots, ...]
    scale: str = LINEAR


@dataclass(frozen=True, slots=True)
class HeatPanel:
    """A number for each pair of names, None where there is none; `spread` is the standard deviation around it.

    `clear` are the cells to print bold, as their mean is clearly not zero.
    """

    title: str
    row_label: str
    column_label: str
    unit: str
    names: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]
    spread: tuple[tuple[float | None, ...], ...]
    clear: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class RankPanel:
    """Mean ranks, the best first; `groups` are first and last places of methods that do not differ significantly."""

    title: str
    ranks: tuple[tuple[str, float], ...]
    critical_difference: float
    groups: tuple[tuple[int, int], ...]


Panel: TypeAlias = LinePanel | DotPanel | HeatPanel | RankPanel


@dataclass(frozen=True, slots=True)
class Chart:
    """Panels in rows of `columns`, with title, subtitle and caption. `about` follows the kind in the file name."""

    about: tuple[str, ...]
    title: str
    subtitle: str
    panels: tuple[Panel, ...]
    columns: int = 1
    caption: str = ""


def fitting_scale(values: tuple[float, ...]) -> str:
    """The scale of an axis: logarithmic if values span decades (symlog if some of them are zero), else linear."""
    positive = [value for value in values if value > 0]
    if not positive or max(positive) < LEAST_RATIO * min(positive) or min(values) < 0:
        return LINEAR
    return LOG if len(positive) == len(values) else SYMLOG

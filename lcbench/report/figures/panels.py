"""Draws a panel of any sort: lines with bands, rows of dots, heat map, diagram of ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from lcbench.report.figures.chart import (
    LINEAR,
    LOG,
    MOST_NUMBERED,
    MOST_WITH_BANDS,
    MOST_WITH_SPREAD,
    SYMLOG,
    DotPanel,
    Dots,
    HeatPanel,
    LinePanel,
    Panel,
    RankPanel,
    Series,
)
from lcbench.report.figures.style import GREY, LONGEST_NAME, LONGEST_TEXT, line_style, scaled, short_names, shortened

MOST_MARKED = 10  # markers on a line
MOST_THICK = 12  # lines in a panel
MOST_TICKS = 10
MOST_POWERS = 6  # of ten that are ticks beside zero
HEAT_COLOURS = "PuOr_r"
RANK_LETTERS = 8  # beside a name, for its rank
RANK_STEP = 0.24  # inches between the names of two methods


def draw_panel(axes: Axes, panel: Panel) -> None:
    """Draws one panel, of any sort."""
    match panel:
        case LinePanel():
            _draw_lines(axes, panel)
        case DotPanel():
            _draw_dots(axes, panel)
        case HeatPanel():
            _draw_heat(axes, panel)
        case RankPanel():
            _draw_ranks(axes, panel)


def panel_size(panel: Panel) -> tuple[float, float]:
    """Width and height of a panel, in inches."""
    match panel:
        case LinePanel():
            return 3.4, 3.0
        case DotPanel():
            return 4.6, max(1.6, 1.0 + 0.27 * len(panel.rows))
        case HeatPanel():
            count = len(panel.names)
            side = 0.62 * count if count <= MOST_WITH_SPREAD else max(3.7, min(0.42, 9 / count) * count)
            return side + 2.2, side + 1.5
        case RankPanel():
            return 6.4, 1.15 + RANK_STEP * (math.ceil(len(panel.ranks) / 2) + 0.6 * len(panel.groups))


def _draw_lines(axes: Axes, panel: LinePanel) -> None:
    """Draws every line of a panel; a line is labelled with its name."""
    count = len(panel.series)
    for index, line in enumerate(panel.series):
        style = line_style(index if line.style is None else line.style)
        _draw_line(axes, line, index, style, thin=count > MOST_THICK)
        if (any(line.spread) or line.band) and count <= MOST_WITH_BANDS:
            _draw_band(axes, line, style["color"])
    if panel.zero:
        axes.axhline(0, color=GREY, linewidth=0.8, zorder=0.5, label="_zero")
    axes.set_title(shortened(panel.title, LONGEST_TEXT), loc="left", pad=6 if panel.marked is None else 16)
    axes.set_xlabel(shortened(panel.x_label, LONGEST_TEXT))
    axes.set_ylabel(shortened(panel.y_label, LONGEST_TEXT))
    _scale(axes, panel)
    if panel.marked is not None:
        at, text = panel.marked
        axes.axvline(at, color=GREY, linewidth=1, linestyle=(0, (2, 2)), zorder=0.5, label="_marked")
        axes.annotate(
            text, (at, 1), xycoords=("data", "axes fraction"), xytext=(0, 2), textcoords="offset points",
            ha="center", va="bottom", fontsize=scaled(7.5), color=GREY,
        )  # fmt: skip


def tick_log_axis(axis: Axis, values: Sequence[float]) -> None:
    """Sets ticks with numbers at every power of ten, and at its double and fivefold if the values span few decades."""
    if max(values) < 300 * min(values):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_minor_formatter(NullFormatter())


def plain_number(value: float, _: object = None) -> str:
    """A number as the label of a tick: `0.5`, `−3`, `100,000`."""
    return f"{value:g}".replace("-", "−") if abs(value) < 1e5 or abs(value) >= 1e9 else f"{value:,.0f}"


def _draw_line(axes: Axes, line: Series, index: int, style: dict[str, Any], *, thin: bool) -> None:
    size = scaled(3.5 if thin else 5.0)
    step = math.ceil((len(line.x) - line.hollow) / MOST_MARKED) or 1
    # neighbouring lines have their markers at different points
    marked = list(range(line.hollow, len(line.x)))[index % step :: step]
    axes.plot(
        line.x, line.y, **style, label=line.name, linewidth=scaled(0.9 if thin else 1.5), markersize=size,
        markevery=marked,
    )  # fmt: skip
    if line.hollow:
        axes.plot(
            line.x[: line.hollow], line.y[: line.hollow], color=style["color"], marker=style["marker"],
            markerfacecolor="white", linestyle="none", markersize=3.5 if thin else 5.5, label="_hollow", zorder=2.5,
        )  # fmt: skip


def _draw_band(axes: Axes, line: Series, colour: str) -> None:
    ends = line.band or [(y - s, y + s) for y, s in zip(line.y, line.spread, strict=True)]
    low, high = zip(*ends, strict=True)
    axes.fill_between(line.x, low, high, color=colour, alpha=0.13, linewidth=0, label="_band")


def _scale(axes: Axes, panel: LinePanel) -> None:
    lowest = min((x for line in panel.series for x in line.x if x > 0), default=1.0)
    if panel.x_scale == SYMLOG:
        axes.set_xscale(SYMLOG, linthresh=lowest)
    elif panel.x_scale == LOG:
        axes.set_xscale(LOG)
    if panel.y_scale != LINEAR:
        _log_y(axes, panel)
    if panel.ticks:
        step = math.ceil(len(panel.ticks) / MOST_TICKS)
        axes.xaxis.set_major_locator(FixedLocator(list(panel.ticks[::-1][::step])))  # the last is among them
        axes.xaxis.set_minor_locator(NullLocator())
    elif panel.x_scale == LINEAR:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    axes.xaxis.set_major_formatter(FuncFormatter(plain_number))


def _log_y(axes: Axes, panel: LinePanel) -> None:
    """Makes the y axis logarithmic, without stretching it for a band that reaches down to zero."""
    values = [y for line in panel.series for y in line.y if y > 0]
    if panel.y_scale == SYMLOG:
        axes.set_yscale(SYMLOG, linthresh=min(values))
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(FixedLocator([0, *_powers_of_ten(min(values), max(values))]))
    else:
        axes.set_yscale(LOG)
        axes.set_ylim(bottom=min(values) / 1.6)
        tick_log_axis(axes.yaxis, values)
    axes.yaxis.set_major_formatter(FuncFormatter(plain_number))


def _powers_of_ten(low: float, high: float) -> list[float]:
    """The powers of ten from `low` to `high`, without some of them if there are many; the last is among them."""
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    step = max(1, math.ceil((last - first + 1) / MOST_POWERS))
    return [10.0**power for power in range(last, first - 1, -step)][::-1]


def _draw_dots(axes: Axes, panel: DotPanel) -> None:
    """Draws the rows of a panel from top to bottom; artists are labelled `mean of` and `runs of` the name of a row."""
    low = min((value for row in panel.rows for value in row.values), default=0.0)
    height = min(0.28, 0.05 * len(panel.rows))  # few rows are far apart, and their dots must not be
    for place, row in enumerate(panel.rows):
        _draw_row(axes, row, place, height, floor=low if panel.scale != LINEAR else None)
    axes.set_yticks(range(len(panel.rows)), short_names([row.name for row in panel.rows]))
    axes.set_ylim(len(panel.rows) - 0.5, -0.5)
    axes.set_title(shortened(panel.title, LONGEST_TEXT), loc="left")
    axes.set_xlabel(shortened(panel.x_label, LONGEST_TEXT))
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    if panel.scale != LINEAR:
        axes.set_xscale(LOG)
        tick_log_axis(axes.xaxis, [value for row in panel.rows for value in row.values])
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))


def _draw_row(axes: Axes, row: Dots, place: int, height: float, *, floor: float | None) -> None:
    """Draws one row, its dots spread by up to `height`; on a logarithmic axis no bar reaches below `floor`."""
    style = line_style(place)
    # spread by the golden ratio: evenly, and the same each time it is drawn
    jitter = [(i * 0.61803398875) % 1.0 * 2 - 1 for i in range(len(row.values))] if len(row.values) > 1 else [0.0]
    offsets = [place + height * at for at in jitter]
    axes.plot(
        row.values, offsets, linestyle="none", marker="o", markersize=2.6, markerfacecolor="none",
        markeredgecolor=GREY, markeredgewidth=0.6, alpha=0.8, label=f"runs of {row.name}",
    )  # fmt: skip
    if row.spread:
        start = row.mean - row.spread
        bar = (start if floor is None else max(start, floor), row.mean + row.spread)
        axes.plot(bar, (place, place), color=style["color"], linewidth=2, solid_capstyle="butt", label="_bar")
    axes.plot(
        [row.mean], [place], linestyle="none", marker=style["marker"], markersize=7, color=style["color"],
        markeredgecolor="white", markeredgewidth=0.7, label=f"mean of {row.name}", zorder=3,
    )  # fmt: skip


def _draw_heat(axes: Axes, panel: HeatPanel) -> None:
    """Draws the map, its colours centred at zero; in a grey print the signs of the numbers tell gains from losses.

    The image holds the numbers unchanged, with NaN where there is none.
    """
    values = np.array([[np.nan if cell is None else cell for cell in row] for row in panel.cells], dtype=float)
    known = np.abs(values[np.isfinite(values)])
    limit = float(known.max()) if known.size and known.max() > 0 else 1.0
    image = axes.imshow(values, cmap=HEAT_COLOURS, vmin=-limit, vmax=limit, aspect="equal")
    axes.set_facecolor("#EEEEEE")
    names = short_names(panel.names, 16)
    size = scaled(8.5 if len(names) <= MOST_WITH_SPREAD else max(4.5, min(8.0, 160 / len(names))))
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor", fontsize=size)
    axes.set_yticks(range(len(names)), names, fontsize=size)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(shortened(panel.title, LONGEST_TEXT), loc="left")
    axes.set_ylabel(panel.row_label)
    axes.set_xlabel(panel.column_label)
    if len(names) <= MOST_NUMBERED:
        _write_numbers(axes, panel, limit, size)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.85, pad=0.03)
    bar.set_label(panel.unit, fontsize=scaled(8))
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=scaled(7.5))


def _write_numbers(axes: Axes, panel: HeatPanel, limit: float, size: float) -> None:
    digits = 1 if limit >= 0.5 else 3
    for i, row in enumerate(panel.cells):
        for j, cell in enumerate(row):
            if cell is None:
                continue
            around = panel.spread[i][j] if len(panel.names) <= MOST_WITH_SPREAD else None
            text = f"{round(cell, digits) + 0.0:+.{digits}f}".replace("-", "−") if cell else "0"
            if around is not None and (cell or around):
                text += f"\n±{around:.{digits}f}"
            dark = _lightness(cell / limit) < 0.5
            axes.text(
                j, i, text, ha="center", va="center", fontsize=size - 0.5, color="white" if dark else "black",
                weight="bold" if (i, j) in panel.clear else "normal",
            )  # fmt: skip


def _lightness(value: float) -> float:
    """The lightness, from 0 to 1, that the colour of a value from -1 to 1 has in a grey print."""
    red, green, blue, _ = colormaps[HEAT_COLOURS]((value + 1) / 2)
    return 0.299 * red + 0.587 * green + 0.114 * blue


def _rank_names(axes: Axes, names: Sequence[str]) -> tuple[list[str], float]:
    """Names that have room on each side of a diagram of ranks, shortened if need be, and that room in ranks."""
    count, width = len(names), axes.figure.bbox.width / axes.figure.dpi
    letter = 0.0072 * scaled(8.5)  # inches
    shown = short_names(names, min(LONGEST_NAME, int(0.4 * width / letter) - RANK_LETTERS))
    text = letter * (max(map(len, shown)) + RANK_LETTERS)
    needed = text / max(width - 2 * text, 0.2 * width) * max(count - 1, 1)
    return shown, max(0.32 * max(count - 1, 1) + 0.4, needed)


def _draw_ranks(axes: Axes, panel: RankPanel) -> None:
    """Draws the diagram, best on the left; the point of a method is labelled with its name, a bar `_group`."""
    count = len(panel.ranks)
    names, margin = _rank_names(axes, [name for name, _ in panel.ranks])
    half = math.ceil(count / 2)
    first = 1.0 + 0.6 * len(panel.groups)
    axes.plot([1, count], [0, 0], color="black", linewidth=1, label="_axis")
    for tick in range(1, count + 1, 1 if count <= 12 else 2):
        axes.plot([tick, tick], [0, -0.3], color="black", linewidth=1, label="_tick")
        axes.text(tick, -0.45, str(tick), ha="center", va="bottom", fontsize=scaled(8.5))
    for place, (name, rank) in enumerate(panel.ranks):
        left = place < half
        depth = first + (place if left else count - 1 - place)
        edge = 0.8 if left else count + 0.2
        axes.plot([rank, rank, edge], [0, depth, depth], color="black", linewidth=0.8, label="_stem")
        axes.plot([rank], [0], linestyle="none", marker="o", markersize=4.5, color="black", label=name)
        text = f"{names[place]}  {rank:.2f} " if left else f" {rank:.2f}  {names[place]}"
        axes.text(edge, depth, text, ha="right" if left else "left", va="center", fontsize=scaled(8.5))
    for i, (start, end) in enumerate(panel.groups):
        y = 0.5 + 0.6 * i
        ends = [panel.ranks[start][1] - 0.04, panel.ranks[end][1] + 0.04]
        axes.plot(ends, [y, y], color="black", linewidth=3.5, solid_capstyle="butt", label="_group")
    shown = min(panel.critical_difference, count - 1)
    axes.plot([1, 1 + shown], [-1.7, -1.7], color="black", linewidth=1.2, marker="|", markersize=8, label="_difference")
    cut = "" if shown == panel.critical_difference else ", longer than the axis"
    axes.text(1, -2.0, f"critical difference {panel.critical_difference:.2f}{cut}", va="bottom", fontsize=scaled(8))
    axes.set_title(shortened(panel.title, 80), loc="left")
    axes.set_xlim(1 - margin, count + margin)
    axes.set_ylim(first + half - 0.2, -2.9)
    axes.axis("off")

"""Draws a row of dots per method: each run, the mean and the standard deviation."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from lcbench.report.figures.chart import LINEAR, LOG, DotPanel, Dots
from lcbench.report.figures.draw_lines import plain_number, tick_log_axis
from lcbench.report.figures.style import GREY, LONGEST_TEXT, line_style, short_names, shortened


def draw_dots(axes: Axes, panel: DotPanel) -> None:
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
    offsets = [place + height * _jitter(i, len(row.values)) for i in range(len(row.values))]
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


def _jitter(index: int, count: int) -> float:
    """The offset of a dot from the middle of its row, from -1 to 1, the same each time it is drawn."""
    return 0.0 if count == 1 else ((index * 0.61803398875) % 1.0) * 2 - 1

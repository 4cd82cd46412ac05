"""Draws a heat map with a number in each cell.

Colours are centred at zero; in a grey print the signs tell gains from losses.
"""

from __future__ import annotations

from matplotlib import colormaps
from matplotlib.axes import Axes

from lcbench.report.figures.chart import MOST_NUMBERED, MOST_WITH_SPREAD, HeatPanel
from lcbench.report.figures.style import LONGEST_TEXT, short_names, shortened

COLOURS = "PuOr_r"


def heat_size(count: int) -> tuple[float, float]:
    """Width and height in inches of a map with `count` names on each side."""
    side = 0.62 * count if count <= MOST_WITH_SPREAD else max(3.7, min(0.42, 9 / count) * count)
    return side + 2.2, side + 1.5


def draw_heat(axes: Axes, panel: HeatPanel) -> None:
    """Draws the map; its image holds the numbers unchanged, with NaN where there is none."""
    import numpy as np

    values = np.array([[np.nan if cell is None else cell for cell in row] for row in panel.cells], dtype=float)
    known = np.abs(values[np.isfinite(values)])
    limit = float(known.max()) if known.size and known.max() > 0 else 1.0
    image = axes.imshow(values, cmap=COLOURS, vmin=-limit, vmax=limit, aspect="equal")
    axes.set_facecolor("#EEEEEE")
    names = short_names(panel.names, 16)
    size = 8.5 if len(names) <= MOST_WITH_SPREAD else max(4.5, min(8.0, 160 / len(names)))
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
    bar.set_label(panel.unit, fontsize=8)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=7.5)


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
    red, green, blue, _ = colormaps[COLOURS]((value + 1) / 2)
    return 0.299 * red + 0.587 * green + 0.114 * blue

"""Draws a chart for a paper: as wide as its column, in its font, without a title.

What the title and the caption say is text of its own, for the caption that the paper sets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from matplotlib.figure import Figure

from lcbench.errors import ParameterError, did_you_mean
from lcbench.printable import printable_line
from lcbench.report.figures.chart import Chart, DotPanel, HeatPanel, LinePanel, Panel, RankPanel
from lcbench.report.figures.draw import SteadyLayout, legend_entries, legend_names, whole_caption
from lcbench.report.figures.panels import draw_panel, panel_size
from lcbench.report.figures.style import SETTINGS, short_names, wrapped
from lcbench.report.widths import width_in_mm

MM_PER_INCH = 25.4
HIGHEST = 8.6  # inches: there must be room for a caption on the page
LEAST_PANEL = 1.9  # inches across, of lines
LEAST_MAP = 2.6  # inches across, of a heat map
MOST_BELOW = 4  # panels below each other in a column
SMALLEST_FONT, LARGEST_FONT = 4.0, 24.0
FAMILIES = {
    "serif": ("STIXGeneral", "DejaVu Serif"),  # as Times
    "sans": ("DejaVu Sans",),
    "mono": ("DejaVu Sans Mono",),
}


@dataclass(frozen=True, slots=True)
class PaperLook:
    """The width of a figure, `column`, `page` or a number of millimetres; its font, and the size of that in points.

    The family is `serif`, `sans`, `mono` or a font that matplotlib finds on this machine.
    """

    width: str = "column"
    font_size: float = 8.0
    font_family: str = "serif"

    @property
    def inches(self) -> float:
        """The width."""
        return width_in_mm(self.width) / MM_PER_INCH

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of matplotlib that make the look; refuses a font that is not there, and a size out of range."""
        if not SMALLEST_FONT <= self.font_size <= LARGEST_FONT:
            raise ParameterError(
                f"--font-size takes points from {SMALLEST_FONT:g} to {LARGEST_FONT:g}, not {self.font_size:g}."
            )
        ratio = self.font_size / SETTINGS["font.size"]
        sizes = {
            name: value * ratio
            for name, value in SETTINGS.items()
            if name.endswith("size") and name != "lines.markersize"
        }
        return {
            **sizes,
            "axes.titlesize": self.font_size,
            "font.family": list(_fonts(self.font_family)),
            "legend.handlelength": 2.6,
            "lines.linewidth": 1.2,
            "lines.markersize": 4.0,
            "axes.linewidth": 0.6,
            "savefig.dpi": 300,
            "svg.fonttype": "path",  # fonts travel with the file
        }


def _fonts(family: str) -> tuple[str, ...]:
    if family in FAMILIES:
        return FAMILIES[family]
    from matplotlib import font_manager

    known = {name.casefold(): name for name in font_manager.get_font_names()}
    if family.casefold() not in known:
        hint = did_you_mean(family, [*FAMILIES, *known.values()])
        raise ParameterError(f"matplotlib finds no font '{family}' here: serif, sans and mono are always there.{hint}")
    return (known[family.casefold()], "DejaVu Sans")


def caption_text(chart: Chart) -> str:
    """The title, the line below it and the caption of a chart, as the caption of a figure in a paper."""
    about = f" ({chart.subtitle})" if chart.subtitle else ""
    return printable_line(f"{chart.title}{about}. {whole_caption(chart)}".strip())


def draw_for_paper(chart: Chart, look: PaperLook) -> Figure:
    """Draws a chart within the settings of a look: panels in as many columns as have room, and the legend below."""
    width = look.inches
    columns = _columns(chart, width)
    rows = math.ceil(len(chart.panels) / columns)
    heights = [
        max(_height(panel, width / columns, look) for panel in chart.panels[r * columns : (r + 1) * columns])
        for r in range(rows)
    ]
    shrunk = min(1.0, HIGHEST / sum(heights))
    names = legend_names(chart.panels)
    legend_rows, legend_columns = _legend_shape(names, look)
    below = legend_rows * 1.5 * look.font_size / 72
    figure = Figure(figsize=(width, sum(heights) * shrunk + below))
    figure.set_layout_engine(SteadyLayout(w_pad=0.03, h_pad=0.03))
    grid = figure.add_gridspec(rows, columns, height_ratios=heights)
    for i, panel in enumerate(chart.panels):
        axes = figure.add_subplot(grid[i // columns, i % columns])
        draw_panel(axes, _without_needless_title(panel, alone=len(chart.panels) == 1))
        inner = width / columns - 0.45
        axes.set_xlabel(wrapped(axes.get_xlabel(), inner, look.font_size))
        axes.set_ylabel(wrapped(axes.get_ylabel(), heights[i // columns] * shrunk - 0.35, look.font_size))
    if names:
        lines, texts = legend_entries(figure, names)
        figure.legend(
            lines, texts, loc="outside lower center", ncols=legend_columns, columnspacing=1.2, borderaxespad=0.1
        )
    return figure


def _columns(chart: Chart, width: float) -> int:
    """The number of panels beside each other: not more than have room, nor than the chart has on a screen."""
    least = LEAST_MAP if any(isinstance(panel, HeatPanel) for panel in chart.panels) else LEAST_PANEL
    fitting = max(1, min(int(width / least), max(chart.columns, 2)))
    if fitting == 1 and len(chart.panels) > MOST_BELOW:
        fitting = 2
    whole = any(isinstance(panel, DotPanel | RankPanel) for panel in chart.panels)
    return 1 if whole and width < 2 * LEAST_MAP else min(fitting, len(chart.panels))


def _height(panel: Panel, width: float, look: PaperLook) -> float:
    """The height of a panel of that width, in inches."""
    match panel:
        case LinePanel():
            return min(2.1, max(1.3, 0.66 * width))
        case DotPanel():
            return 0.6 + 0.022 * look.font_size * len(panel.rows)
        case HeatPanel():
            return min(0.92 * width, panel_size(panel)[1])
        case RankPanel():
            return panel_size(panel)[1] * look.font_size / 9


def _without_needless_title(panel: Panel, *, alone: bool) -> Panel:
    """The panel without a title that its vertical axis says as well, or that no other panel has to be told from."""
    said = isinstance(panel, LinePanel) and panel.y_label.startswith(panel.title)
    needless = said or (alone and not isinstance(panel, RankPanel | LinePanel))
    return replace(panel, title="") if needless else panel


def _legend_shape(names: list[str], look: PaperLook) -> tuple[int, int]:
    """The rows and columns of the legend."""
    if not names:
        return 0, 1
    longest = (max(map(len, short_names(names))) * 0.5 + 4.6) * look.font_size / 72
    columns = max(1, min(len(names), int(look.inches / longest)))
    return math.ceil(len(names) / columns), columns

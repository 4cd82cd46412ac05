"""Draws a chart with matplotlib as PNG, SVG or PDF: title, panels, legend, caption.

Needs no display.
"""

from __future__ import annotations

import io
import logging
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from lcbench.report.figures.chart import MOST_WITH_BANDS, Chart, LinePanel, Panel
from lcbench.report.figures.panels import draw_panel, panel_size
from lcbench.report.figures.style import GREY, LEGEND_MOST, short_names, style_applied, wrapped
from lcbench.writing import make_folder, write_whole

if TYPE_CHECKING:
    from lcbench.report.figures.paper import PaperLook

logger = logging.getLogger(__name__)

MARGIN = 0.12
TITLE, SUBTITLE, CAPTION = 10.5, 9.0, 7.5
LEADING = 1.35 / 72
BOLD = 1.15  # how much wider bold letters are
LONGEST = 200  # bytes of a name: a number and an ending still fit into the 255 of most file systems
_UNDATED: dict[str, dict[str, None]] = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def file_names(kind: str, charts: Sequence[Chart], format: str) -> list[str]:
    """A file name per chart, such as `lifelong-webkb4-l2sc.png`; no two are the same, even without regard to case."""
    taken: set[str] = set()
    names = []
    for chart in charts:
        # letters, digits and a few signs, which no file system or shell reads in a special way
        parts = [re.sub(r"[^\w.=]+", "-", text).strip("-._") for text in (kind, *chart.about)]
        stem = "-".join(filter(None, parts)).encode()[:LONGEST].decode(errors="ignore").rstrip("-._")
        name, number = stem, 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.casefold())
        names.append(f"{name}.{format}")
    return names


def chart_bytes(chart: Chart, format: str, look: PaperLook | None = None) -> bytes:
    """The content of a file of that format: png, svg or pdf; with a `look` as papers want it."""
    from lcbench.report.figures.paper import draw_for_paper

    buffer = io.BytesIO()
    with style_applied(None if look is None else look.settings), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = draw(chart) if look is None else draw_for_paper(chart, look)
        figure.savefig(buffer, format=format, metadata=_UNDATED[format])
    missing = [warning for warning in caught if "missing from font" in str(warning.message)]
    if missing and format != "svg":  # there the reader's fonts are used
        logger.warning("'%s' has characters that the font cannot draw: --format svg keeps them.", chart.title)
    return buffer.getvalue()


def write_figures(
    charts: Sequence[Chart], paths: Sequence[Path], format: str, look: PaperLook | None = None
) -> Iterator[Path]:
    """Writes each chart to its path, and for a paper its caption into a .txt file beside it; yields every file."""
    from lcbench.report.figures.paper import caption_text

    make_folder(paths[0].parent)
    for chart, path in zip(charts, paths, strict=True):
        write_whole(path, chart_bytes(chart, format, look))
        yield path
        if look is not None:
            write_whole(path.with_suffix(".txt"), f"{caption_text(chart)}\n".encode("utf-8", "backslashreplace"))
            yield path.with_suffix(".txt")


class SteadyLayout(ConstrainedLayoutEngine):
    """Rounds the places of the panels: the solver's last bits, of which an SVG makes ids, differ between processes."""

    def execute(self, fig: Figure) -> None:
        """Lays out a figure."""
        super().execute(fig)
        for axes in fig.axes:
            x, y, width, height = (round(part, 9) for part in axes.get_position(original=True).bounds)
            axes.set_position((x, y, width, height), which="original")
            axes.set_in_layout(True)  # which setting a position ends


def draw(chart: Chart) -> Figure:
    """Draws a chart; call it within `style_applied`, as matplotlib reads its settings while a figure is made."""
    rows = math.ceil(len(chart.panels) / chart.columns)
    sizes = [panel_size(panel) for panel in chart.panels]
    names = legend_names(chart.panels)
    beside = _legend_width(names)
    width = max(4.8, sum(max(w for w, _ in sizes[c :: chart.columns]) for c in range(chart.columns)) + beside)
    heights = [max(h for _, h in sizes[r * chart.columns : (r + 1) * chart.columns]) for r in range(rows)]
    texts = [
        (wrapped(text, (width - 2 * MARGIN) / wide, points), points)
        for text, points, wide in (
            (chart.title, TITLE, BOLD),
            (chart.subtitle, SUBTITLE, 1),
            (whole_caption(chart), CAPTION, 1),
        )
    ]
    title, subtitle, caption = [_lines(text) * points * LEADING for text, points in texts]
    above, below = 1.5 * MARGIN + title + subtitle, caption + (MARGIN if caption else 0.0)
    height = above + sum(heights) + below
    figure = Figure(figsize=(width, height))
    figure.set_layout_engine(
        SteadyLayout(
            rect=(0, below / height, 1 - beside / width, (height - above - below) / height), w_pad=0.08, h_pad=0.08
        )
    )
    grid = figure.add_gridspec(rows, chart.columns, height_ratios=heights)
    for i, panel in enumerate(chart.panels):
        draw_panel(figure.add_subplot(grid[i // chart.columns, i % chart.columns]), panel)
    left = MARGIN / width
    figure.text(left, 1 - MARGIN / height, texts[0][0], fontsize=TITLE, weight="bold", va="top")
    figure.text(left, 1 - (MARGIN + title) / height, texts[1][0], fontsize=SUBTITLE, va="top", color=GREY)
    figure.text(left, MARGIN / 2 / height, texts[2][0], fontsize=CAPTION, va="bottom", color=GREY)
    if names:
        _add_legend(figure, names, (1 - beside / width, 1 - above / height))
    return figure


def whole_caption(chart: Chart) -> str:
    """The caption, with a sentence that bands are left out if there are too many lines."""
    lines = [panel.series for panel in chart.panels if isinstance(panel, LinePanel)]
    if any(len(series) > MOST_WITH_BANDS and any(any(line.spread) for line in series) for series in lines):
        return f"{chart.caption} With more than {MOST_WITH_BANDS} lines the bands are left out.".strip()
    return chart.caption


def legend_names(panels: Sequence[Panel]) -> list[str]:
    """The names of all lines, each once: panels of one chart share their lines."""
    found = [line.name for panel in panels if isinstance(panel, LinePanel) for line in panel.series]
    return list(dict.fromkeys(found))


def _legend_width(names: Sequence[str]) -> float:
    if not names:
        return 0.0
    return 0.75 + 0.075 * max(map(len, short_names(names)))


def _add_legend(figure: Figure, names: Sequence[str], corner: tuple[float, float]) -> None:
    """Adds a legend beside the panels, where it hides nothing."""
    lines, texts = legend_entries(figure, names)
    legend = figure.legend(
        lines,
        texts,
        loc="upper left",
        bbox_to_anchor=corner,
        fontsize=8.5 if len(texts) <= 12 else 7,
        labelspacing=0.5 if len(texts) <= 12 else 0.2,
    )
    legend.set_in_layout(False)


def legend_entries(figure: Figure, names: Sequence[str]) -> tuple[list[Line2D], list[str]]:
    """The lines of all panels by name, and the texts beside them; names beyond `LEGEND_MOST` are only counted."""
    lines: dict[str, Any] = {}
    for axes in figure.axes:
        for line in axes.get_lines():
            lines.setdefault(str(line.get_label()), line)
    shown, texts = [lines[name] for name in names], short_names(names)
    if len(names) > LEGEND_MOST:
        shown[LEGEND_MOST:] = [Line2D([], [], linestyle="none")]
        texts[LEGEND_MOST:] = [f"and {len(names) - LEGEND_MOST} more, not named"]
    return shown, texts


def _lines(text: str) -> int:
    return text.count("\n") + 1 if text else 0

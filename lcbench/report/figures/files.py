"""Saves figures as PNG, SVG or PDF, and makes their file names."""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections.abc import Sequence

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG

from lcbench.report.figures.chart import Chart
from lcbench.report.figures.draw import draw
from lcbench.report.figures.style import style_applied

logger = logging.getLogger(__name__)

LONGEST = 200  # bytes of a name: a number and an ending still fit into the 255 of most file systems
_CANVASES = {"png": FigureCanvasAgg, "svg": FigureCanvasSVG, "pdf": FigureCanvasPdf}
_UNDATED: dict[str, dict[str, None]] = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def file_names(kind: str, charts: Sequence[Chart], format: str) -> list[str]:
    """A file name per chart, such as `lifelong-webkb4-l2sc.png`; no two are the same, even without regard to case."""
    taken: set[str] = set()
    names = []
    for chart in charts:
        stem = _cut("-".join(part for text in (kind, *chart.about) if (part := _plain(text))))
        name, number = stem, 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.casefold())
        names.append(f"{name}.{format}")
    return names


def chart_bytes(chart: Chart, format: str) -> bytes:
    """The content of a file of that format: png, svg or pdf."""
    buffer = io.BytesIO()
    with style_applied(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = draw(chart)
        _CANVASES[format](figure)
        figure.savefig(buffer, format=format, metadata=_UNDATED[format])
    missing = [warning for warning in caught if "missing from font" in str(warning.message)]
    if missing and format != "svg":  # there the reader's fonts are used
        logger.warning("'%s' has characters that the font cannot draw: --format svg keeps them.", chart.title)
    return buffer.getvalue()


def _plain(text: str) -> str:
    """Text with only letters, digits and a few signs, which no file system or shell reads in a special way."""
    return re.sub(r"[^\w.=]+", "-", text).strip("-._")


def _cut(stem: str) -> str:
    """A name cut to at most `LONGEST` bytes."""
    return stem.encode()[:LONGEST].decode(errors="ignore").rstrip("-._")

"""Figures of results from Python: a notebook shows them, and they can be saved."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.analysis.selection import Selection, select, select_outcome
from lcbench.errors import ParameterError
from lcbench.registry.metrics import shown_metrics
from lcbench.report.figures.chart import NOT_PRINTED, Chart
from lcbench.report.figures.kind import Kind, find_kind
from lcbench.report.naming import naming_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lcbench.experiment.pipeline import Outcome
    from lcbench.report.figures.paper import PaperLook

FORMATS = ("png", "svg", "pdf")
CSS_DPI, SCREEN_DPI, PAPER_DPI = 96, 200, 300


class Figures:
    """Figures of one kind: a sequence of which each part is again such figures. A notebook shows all of them."""

    def __init__(self, kind: str, charts: Sequence[Chart], look: PaperLook | None) -> None:
        self.kind = kind
        self._charts = tuple(charts)
        self._look = look

    def __len__(self) -> int:
        return len(self._charts)

    def __iter__(self) -> Iterator[Figures]:
        return (Figures(self.kind, (chart,), self._look) for chart in self._charts)

    def __getitem__(self, index: int) -> Figures:
        return Figures(self.kind, (self._charts[index],), self._look)

    def __repr__(self) -> str:
        return "\n".join(f"<figure {self.kind}: {chart.title}>" for chart in self._charts)

    @property
    def captions(self) -> list[str]:
        """The title and the caption of each figure in words, as a paper would set them below it."""
        from lcbench.report.figures.paper import caption_text

        return [caption_text(chart) for chart in self._charts]

    def matplotlib(self) -> list[Figure]:
        """The figures as those of matplotlib, to be changed further."""
        from lcbench.report.figures.draw import draw
        from lcbench.report.figures.paper import draw_for_paper
        from lcbench.report.figures.style import style_applied

        with style_applied(None if self._look is None else self._look.settings):
            return [draw(c) if self._look is None else draw_for_paper(c, self._look) for c in self._charts]

    def save(self, path: str | PathLike[str]) -> list[Path]:
        """Writes the figures and returns where they are: one to a file, by its ending; or all into a folder, as PNG.

        Beside each figure for a paper its caption is written into a file that ends in .txt.
        """
        from lcbench.report.figures.draw import file_names, write_figures

        target = Path(path)
        format = target.suffix.lower().removeprefix(".")
        if format and format not in FORMATS:
            raise ParameterError(f"'{path}' does not say its format: end it in .png, .svg or .pdf, or name a folder.")
        if format and len(self) > 1:
            raise ParameterError(
                f"These are {len(self)} figures, and '{path}' is one file: name a folder, or save one, as by [0]."
            )
        usual = "png" if self._look is None else "pdf"
        paths = [target] if format else [target / name for name in file_names(self.kind, self._charts, usual)]
        for _ in write_figures(self._charts, paths, format or usual, self._look):
            pass
        return paths

    def _repr_html_(self) -> str:
        """All figures, one below the other."""
        return "<br>".join(map(self._image, self._charts))

    def _image(self, chart: Chart) -> str:
        """A figure as an element of HTML, as wide as on paper however many dots it has."""
        png = self._png(chart)
        dots = int.from_bytes(png[16:20])  # of the header, which begins an image
        width = dots * CSS_DPI / (SCREEN_DPI if self._look is None else PAPER_DPI)
        data = base64.b64encode(png).decode()
        style = f"width: {width:.0f}px; max-width: 100%; background: white"
        return f'<img alt="{escape(chart.title)}" style="{style}" src="data:image/png;base64,{data}">'

    def _repr_png_(self) -> bytes | None:
        """The figure if there is one, for what cannot show HTML."""
        return self._png(self._charts[0]) if len(self) == 1 else None

    def _png(self, chart: Chart) -> bytes:
        from lcbench.report.figures.draw import chart_bytes

        return chart_bytes(chart, "png", self._look)


def draw_figures(
    results: Outcome,
    kind: str,
    metrics: str | Sequence[str] | None,
    methods: str | Sequence[str],
    streams: str | Sequence[str],
    look: Mapping[str, Any] | None,
    names: Mapping[str, str],
) -> Figures:
    """The figures of a kind, of some runs or of all; a `look` makes them those of a paper."""
    from lcbench.report.figures.paper import PaperLook

    wanted = find_kind(kind)
    named = _texts(methods)
    selection = _select(results, wanted, named, _texts(streams))
    shown = shown_metrics((run.scores for run in selection.runs), _texts(metrics or ()) or results.metrics or None)
    charts = wanted.charts(selection, shown, named)
    if not charts:
        raise ParameterError(wanted.nothing_to_draw(selection))
    naming = naming_of(selection, shown, names, paper=look is not None)
    made = [naming.apply(chart, keep=NOT_PRINTED) for chart in charts]
    return Figures(kind, made, None if look is None else PaperLook(**look))


def _select(results: Outcome, kind: Kind, methods: Sequence[str], streams: Sequence[str]) -> Selection:
    """The runs to draw: those named, by label, or by name where no run has that label."""
    runs = [*results.runs, *(results.searched if kind.candidates else ())]
    labels = {run.label for run in runs}, {run.stream_label for run in runs}
    for what, asked, known in (
        ("method", methods, labels[0] | {run.method for run in runs}),
        ("stream", streams, labels[1] | {run.stream for run in runs}),
    ):
        for name in asked:
            if name not in known:
                raise ParameterError(f"There are no runs of {what} '{name}': there is {', '.join(sorted(known))}.")
    kept = [
        run
        for run in runs
        if (not methods or run.label in methods or run.method in set(methods) - labels[0])
        and (not streams or run.stream_label in streams or run.stream in set(streams) - labels[1])
    ]
    if kept == results.runs and not kind.parts:
        return select_outcome(results)
    beside = (*results.runs, *results.solos, *results.searched)
    return select(kept, named=methods, beside=beside, parts=kind.parts, candidates=kind.candidates, pooled=True)


def _texts(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)

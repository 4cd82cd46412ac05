"""`lcbench plot`: draws figures of stored runs into PNG, SVG or PDF files."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from lcbench.cli.stored_runs import Folder, Methods, Metrics, Streams, load_selection
from lcbench.errors import OutputError, ParameterError
from lcbench.records import DEFAULT_FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lcbench.analysis.selection import Selection
    from lcbench.report.figures.chart import Chart

FORMATS = ("png", "svg", "pdf")
OTHER_FORMATS = ("jpg", "jpeg", "gif", "tif", "tiff", "webp", "bmp", "eps", "ps")
MOST_FIGURES = 100


class PlotCommand(TyperCommand):
    """The command, whose help names the kinds of figures: they are looked for only when it is shown."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Prints the help."""
        from lcbench.report.figures.kind import figure_kinds

        kinds = [f"{kind.name}: {kind.summary}" for kind in figure_kinds()]
        self.epilog = "\n".join(["\b", "Kinds of figures:", *kinds])
        super().format_help(ctx, formatter)


def plot(
    kind: Annotated[str, typer.Argument(help="The kind of figure, one of those below.", metavar="KIND")],
    method: Methods = None,
    stream: Streams = None,
    metric: Metrics = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            help="A file that ends in .png, .svg or .pdf for one figure, else a folder.",
            metavar="PATH",
            show_default="the present folder",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format", help="png, svg or pdf.", metavar="FORMAT", show_default="what the file's name says; png"
        ),
    ] = None,
    results: Folder = DEFAULT_FOLDER,
) -> None:
    """Draw stored runs: a file per figure, whose names are printed."""
    from lcbench.cli.console import error_output, plain
    from lcbench.registry.metrics import shown_metrics
    from lcbench.report.figures.kind import find_kind
    from lcbench.report.figures.nothing_to_draw import nothing_to_draw

    wanted = find_kind(kind)
    chosen = _format_of(out, format)
    selection = load_selection(results, method, stream, parts=wanted.parts, candidates=wanted.candidates)
    metrics = shown_metrics((run.scores for run in selection.runs), metric)
    charts = wanted.charts(selection, metrics, method or ())
    if not charts:
        where = "" if results == DEFAULT_FOLDER else f" --results {shlex.quote(results)}"
        raise ParameterError(nothing_to_draw(wanted, selection, where, method or ()))
    if len(charts) > MOST_FIGURES:
        raise ParameterError(f"These would be {len(charts)} figures: choose some with --method and --stream.")
    for note in (*selection.notes, *_without_result(selection), *wanted.notes(selection, method or ())):
        error_output().print(plain(note, "dim"), soft_wrap=True)
    _write(kind, charts, out, chosen)


def _without_result(selection: Selection) -> list[str]:
    """Names the methods that no figure shows because all their runs failed."""
    from lcbench.printable import counted

    return [
        f"{stream.label}: {method.label} is not drawn, for it did not end well ({counted(len(method.failed), 'run')})."
        for stream in selection.streams
        for method in stream.methods
        if not method.done
    ]


def _format_of(out: str | None, asked: str | None) -> str:
    """The format from --format, or from the ending of the file's name."""
    if asked is not None and asked not in FORMATS:
        raise ParameterError(f"--format takes one of {', '.join(FORMATS)}, not '{asked}'.")
    said = _suffix(out)
    if said and asked and said != asked:
        raise ParameterError(f"'{out}' says {said} and --format says {asked}: leave one of them out.")
    return asked or said or FORMATS[0]


def _suffix(out: str | None) -> str | None:
    """The format from the ending of a file's name; None for a folder."""
    if out is None or Path(out).is_dir():
        return None
    suffix = Path(out).suffix.lower().removeprefix(".")
    if suffix in OTHER_FORMATS:
        raise ParameterError(f"'{out}' says {suffix}, which is not drawn: end it in .png, .svg or .pdf.")
    return suffix if suffix in FORMATS else None


def _write(kind: str, charts: Sequence[Chart], out: str | None, format: str) -> None:
    """Draw the figures and print where they are."""
    from lcbench.printable import printable
    from lcbench.report.figures.files import chart_bytes, file_names
    from lcbench.writing import write_whole

    names = file_names(kind, charts, format)
    if _suffix(out) is None:
        folder = Path(out or "")
        paths = [folder / name for name in names]
    elif len(charts) == 1:
        paths = [Path(str(out))]
        folder = paths[0].parent
    else:
        raise ParameterError(
            f"These are {len(charts)} figures, and '{out}' is one file: give a folder, or choose one figure with "
            "--method and --stream."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"The folder '{folder}' cannot be made ({error.strerror or error}).") from error
    for chart, path in zip(charts, paths, strict=True):
        write_whole(path, chart_bytes(chart, format))
        print(printable(path))

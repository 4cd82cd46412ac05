"""`lcbench plot`: draws figures of stored runs into PNG, SVG or PDF files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from lcbench.cli.help import Command, argument, examples, option
from lcbench.cli.messages import say
from lcbench.cli.run_options import Plugins
from lcbench.cli.stored_runs import RUNS, Folder, Metrics, Wanted, chooses_runs, load_selection
from lcbench.cli.table_format import format_of, format_option, names_option, width_option
from lcbench.errors import ParameterError
from lcbench.reading import is_folder
from lcbench.records import DEFAULT_FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lcbench.analysis.selection import Selection
    from lcbench.report.figures.chart import Chart
    from lcbench.report.figures.paper import PaperLook

ENDINGS = {".png": "png", ".svg": "svg", ".pdf": "pdf"}
MOST_FIGURES = 100


class PlotCommand(Command):
    """The command, whose help names the kinds of figures: they are looked for only when it is shown."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Prints the help."""
        from lcbench.report.figures.kind import figure_kinds

        kinds = [f"{kind.name}: {kind.summary}" for kind in figure_kinds()]
        self.epilog = "\n".join(["\b", "Kinds of figures:", *kinds])
        super().format_help(ctx, formatter)


@examples(
    ("lcbench plot lifelong", "How well each task is clustered as more are learned."),
    ("lcbench plot runtime -m l2sc -m cpsc", "The seconds that two methods take to learn."),
    ("lcbench plot cost --out cost.pdf", "One figure, in a file of that name."),
)
@chooses_runs(*RUNS)
def plot(
    *,
    kind: Annotated[
        str | None,
        argument("The kind of figure, one of those below; without it they are listed.", "KIND", completed="figures"),
    ] = None,
    wanted: Wanted,
    metric: Metrics = None,
    out: Annotated[
        str | None,
        option(
            "--out -o",
            "A file that ends in .png, .svg or .pdf for one figure, else a folder.",
            "PATH",
            shown="the present folder",
        ),
    ] = None,
    format: Annotated[
        str | None, format_option(ENDINGS.values(), "what the file's name says; png, with --paper pdf")
    ] = None,
    paper: Annotated[
        bool,
        option("--paper", "For a paper: no title and no caption in the figure, which stand in a .txt file beside it."),
    ] = False,
    width: Annotated[str | None, width_option("With --paper")] = None,
    font_size: Annotated[float | None, option("--font-size", "With --paper: in points.", "PT", shown="8")] = None,
    font_family: Annotated[
        str | None,
        option("--font-family", "With --paper: serif, sans, mono or a font of this machine.", "NAME", shown="serif"),
    ] = None,
    names: Annotated[list[str] | None, names_option("with --paper")] = None,
    results: Folder = DEFAULT_FOLDER,
    plugin: Plugins = None,
) -> None:
    """Draw stored runs: a file per figure, whose names are printed.

    Without a kind it lists the kinds of figures.
    """
    if kind is None:
        _list_kinds()
        return
    from lcbench.registry.metrics import shown_metrics
    from lcbench.report.figures.chart import NOT_PRINTED
    from lcbench.report.figures.kind import find_kind
    from lcbench.report.naming import naming_of

    os.environ.pop("MPLBACKEND", None)  # which matters on a screen only, and stops matplotlib where it is wrong
    drawn = find_kind(kind)
    look = _look(paper, width=width, font_size=font_size, font_family=font_family)
    file = None if out is None or not Path(out).suffix or is_folder(out) else out
    chosen = format_of(file, format, ENDINGS, "png" if look is None else "pdf")
    selection = load_selection(results, wanted, parts=drawn.parts, candidates=drawn.candidates)
    metrics = shown_metrics((run.scores for run in selection.runs), metric)
    charts = drawn.charts(selection, metrics, wanted.methods or ())
    if not charts:
        raise ParameterError(drawn.nothing_to_draw(selection))
    if len(charts) > MOST_FIGURES:
        raise ParameterError(f"These would be {len(charts)} figures: choose some with --method and --stream.")
    for note in (*selection.notes, *_without_result(selection), *drawn.notes(selection, wanted.methods or ())):
        say(note)
    naming = naming_of(selection, metrics, names or (), paper=paper)
    charts = [naming.apply(chart, keep=NOT_PRINTED) for chart in charts]
    _write(drawn.name, charts, Path(out or ""), chosen, look, one=file is not None)


def _list_kinds() -> None:
    """Prints the kinds of figures, with a line each."""
    from lcbench.cli.console import print_sheets
    from lcbench.report.figures.kind import figure_kinds
    from lcbench.report.sheets.sheet import text_sheet

    rows = [(kind.name, kind.summary, kind.per) for kind in figure_kinds()]
    notes = ["'lcbench plot KIND' draws the runs in 'lcbench-results', or in the folder that --results names."]
    print_sheets([text_sheet("Kinds of figures", ("kind", "shows", "a file per"), rows, notes=notes)])


def _look(paper: bool, **given: str | float | None) -> PaperLook | None:
    """The look of figures for a paper, checked before anything is drawn; refuses its options without --paper."""
    from lcbench.report.figures.paper import PaperLook

    asked = {name: value for name, value in given.items() if value is not None}
    if not paper:
        for name in asked:
            raise ParameterError(f"--{name.replace('_', '-')} is for figures of a paper: add --paper.")
        return None
    look = PaperLook(**asked)  # type: ignore[arg-type]
    _ = look.inches, look.settings
    return look


def _without_result(selection: Selection) -> list[str]:
    """Names the methods that no figure shows because all their runs failed."""
    from lcbench.printable import counted

    return [
        f"{stream.label}: {method.label} is not drawn, for it did not end well ({counted(len(method.failed), 'run')})."
        for stream in selection.streams
        for method in stream.methods
        if not method.done
    ]


def _write(kind: str, charts: Sequence[Chart], out: Path, format: str, look: PaperLook | None, *, one: bool) -> None:
    """Draw the figures into a folder, or one into a file, and print where they are; a paper's captions beside them."""
    from lcbench.printable import printable
    from lcbench.report.figures.draw import file_names, write_figures

    if one and len(charts) > 1:
        raise ParameterError(
            f"These are {len(charts)} figures, and '{out}' is one file: give a folder, or choose one figure with "
            "--method and --stream."
        )
    paths = [out] if one else [out / name for name in file_names(kind, charts, format)]
    for path in write_figures(charts, paths, format, look):
        print(printable(path))

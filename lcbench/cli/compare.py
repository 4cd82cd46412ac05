"""`lcbench compare`: prints or writes tables that compare the methods of stored runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.stored_runs import Against, Filters, Folder, Methods, Metrics, Streams, load_selection
from lcbench.cli.table_format import LATEX, MARKDOWN, TABLE, Format, Out, format_of
from lcbench.errors import ParameterError
from lcbench.records import DEFAULT_FOLDER

if TYPE_CHECKING:
    from lcbench.api.compare import Comparison


def compare(
    method: Methods = None,
    stream: Streams = None,
    metric: Metrics = None,
    against: Against = None,
    at: Annotated[
        str, typer.Option(help="Scores after all tasks (end), or when each was learned (arrival).", metavar="WHEN")
    ] = "end",
    confidence: Annotated[str, typer.Option(help="The level of the intervals of --against.", metavar="LEVEL")] = "0.95",
    format: Format = None,
    out: Out = None,
    results: Folder = DEFAULT_FOLDER,
) -> None:
    """Compare methods: means over orders and repeats, lifelong figures, and differences to one of them."""
    from lcbench.analysis.compare import compare_methods
    from lcbench.analysis.run_scores import check_moment
    from lcbench.api.compare import Comparison
    from lcbench.registry.metrics import shown_metrics

    check_moment(at)
    level, written = _level(confidence), format_of(out, format)
    asked = [*method, against] if method and against is not None else method
    selection = load_selection(results, Filters.of(asked, stream, None), method)
    shown = shown_metrics((run.scores for run in selection.runs), metric)
    found = Comparison.of(compare_methods(selection, shown, against=against, at=at, confidence=level))
    if out is not None:
        _write(found, written, Path(out))
    elif written == TABLE:
        from lcbench.cli.print_sheets import print_sheets
        from lcbench.report.comparison.sheets import comparison_sheets

        print_sheets(comparison_sheets(found))
    else:
        sys.stdout.write(_text(found, written))


def _text(found: Comparison, written: str) -> str:
    if written == MARKDOWN:
        return found.to_markdown()
    if written == LATEX:
        return found.to_latex()
    return f"{found!r}\n" if written == TABLE else found.to_csv() or ""


def _write(found: Comparison, written: str, path: Path) -> None:
    from lcbench.cli.console import error_output, plain
    from lcbench.printable import counted
    from lcbench.writing import write_whole

    write_whole(path, _text(found, written).encode("utf-8", "backslashreplace"))
    runs = sum(method.done + sum(method.failed.values()) for stream in found.streams for method in stream.methods)
    error_output().print(plain(f"{counted(runs, 'run')} compared in {path}"), soft_wrap=True)


def _level(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"confidence takes a number between 0 and 1, such as 0.95, not '{text}'.") from None

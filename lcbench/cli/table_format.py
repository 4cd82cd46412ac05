"""The options --format and --out of tables: what formats there are, and what a name says."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.completing import completes
from lcbench.cli.help import OUTPUT
from lcbench.cli.messages import say
from lcbench.errors import ParameterError
from lcbench.report.sheets.formats import FORMATS, TABLE, write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lcbench.report.sheets.formats import RawRows
    from lcbench.report.sheets.latex import Typesetting
    from lcbench.report.sheets.sheet import Sheet

ENDINGS = {ending: name for name, format in FORMATS.items() for ending in format.endings}


def main_endings(endings: Mapping[str, str]) -> str:
    """The first ending of every format, as part of a sentence."""
    first: dict[str, str] = {}
    for ending, name in endings.items():
        first.setdefault(name, ending)
    return " or ".join(", ".join(first.values()).rsplit(", ", 1))


Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=" or ".join(", ".join(FORMATS).rsplit(", ", 1)) + ".",
        metavar="FORMAT",
        show_default="what the name of --out says; table without it",
        rich_help_panel=OUTPUT,
        autocompletion=completes("formats"),
    ),
]
Out = Annotated[
    str | None,
    typer.Option(
        "--out", "-o", help=f"A file to write instead: {main_endings(ENDINGS)}.", metavar="FILE", rich_help_panel=OUTPUT
    ),
]


def format_of(out: str | None, asked: str | None, endings: Mapping[str, str] = ENDINGS, otherwise: str = TABLE) -> str:
    """The format from --format, or from the ending of the file's name; without a file the one `otherwise` used."""
    if asked is not None:
        formats = dict.fromkeys(endings.values())
        if asked.lower() not in formats:
            raise ParameterError(f"--format takes one of {', '.join(formats)}, not '{asked}'.")
        return asked.lower()
    if out is None:
        return otherwise
    if Path(out).suffix.lower() not in endings:
        raise ParameterError(f"'{out}' does not say its format: end it in {main_endings(endings)}, or use --format.")
    return endings[Path(out).suffix.lower()]


def show_tables(
    sheets: Sequence[Sheet],
    raw: RawRows,
    written: str,
    out: str | None,
    what: str,
    setting: Typesetting | None = None,
) -> None:
    """Print tables in the format `written`, or write them to `out` and say `what` is there.

    `setting` is the width of LaTeX tables, and their caption and label.
    """
    from lcbench.cli.console import print_sheets
    from lcbench.writing import write_whole

    if out is not None:
        write_whole(Path(out), write(sheets, raw, written, setting).encode("utf-8", "backslashreplace"))
        say(f"{what} in {out}")
    elif written == TABLE:
        print_sheets(sheets)
    else:
        sys.stdout.write(write(sheets, raw, written, setting))

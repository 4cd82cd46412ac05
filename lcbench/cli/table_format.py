"""The options --format, --out, --names and --width of tables and figures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from lcbench.cli.help import option
from lcbench.cli.messages import say
from lcbench.errors import ParameterError
from lcbench.report.sheets.formats import FORMATS, TABLE, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lcbench.report.sheets.formats import RawRows
    from lcbench.report.sheets.latex import Typesetting
    from lcbench.report.sheets.sheet import Sheet

ENDINGS = {ending: name for name, format in FORMATS.items() for ending in format.endings}


def main_endings(endings: Mapping[str, str]) -> str:
    """The first ending of every format, as part of a sentence."""
    first: dict[str, str] = {}
    for ending, name in endings.items():
        first.setdefault(name, ending)
    return _either(first.values())


def _either(words: Iterable[str]) -> str:
    return " or ".join(", ".join(words).rsplit(", ", 1))


def format_option(formats: Iterable[str], otherwise: str, **more: Any) -> Any:
    """The option --format of a command that writes these formats; `otherwise` says which without it."""
    return option("--format", f"{_either(formats)}.", "FORMAT", shown=otherwise, **more)


def names_option(when: str) -> Any:
    """The option --names; the names of specs are its default `when` that is said."""
    return option(
        "--names",
        "A name to print, as in l2sc=Ours, or a file with one such line per name. May be repeated.",
        "NAME=TEXT",
        shown=f"{when} those of the specs, such as L²SC",
    )


def width_option(what: str) -> Any:
    """The option --width of what goes into a paper."""
    return option(
        "--width",
        f"{what}: that of a column or page of a two-column article, or in millimetres.",
        "column|page|MM",
        shown="column",
    )


Format = Annotated[
    str | None,
    format_option(FORMATS, "what the name of --out says; table without it", completed="formats"),
]
Out = Annotated[str | None, option("--out -o", f"A file to write instead: {main_endings(ENDINGS)}.", "FILE")]


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

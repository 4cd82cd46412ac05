"""The options --format and --out of tables: Markdown, LaTeX, CSV or plain text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lcbench.errors import ParameterError

TABLE, MARKDOWN, LATEX, CSV = FORMATS = ("table", "markdown", "latex", "csv")
_SUFFIXES = {".md": MARKDOWN, ".markdown": MARKDOWN, ".tex": LATEX, ".csv": CSV, ".txt": TABLE}
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="table, markdown, latex or csv.",
        metavar="FORMAT",
        show_default="what the name of --out says; table without it",
    ),
]
Out = Annotated[
    str | None,
    typer.Option("--out", "-o", help="A file to write instead: .md, .tex, .csv or .txt.", metavar="FILE"),
]


def format_of(out: str | None, asked: str | None) -> str:
    """The format from --format, or from the ending of the file's name."""
    if asked is not None:
        if asked not in FORMATS:
            raise ParameterError(f"--format takes one of {', '.join(FORMATS)}, not '{asked}'.")
        return asked
    if out is None:
        return TABLE
    if Path(out).suffix.lower() not in _SUFFIXES:
        raise ParameterError(f"'{out}' does not say its format: end it in .md, .tex, .csv or .txt, or use --format.")
    return _SUFFIXES[Path(out).suffix.lower()]

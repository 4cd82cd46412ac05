"""The format of tables that are written: asked for, or said by the name of the file."""

from __future__ import annotations

from pathlib import Path

from lcbench.errors import ParameterError

TABLE, MARKDOWN, LATEX, CSV = FORMATS = ("table", "markdown", "latex", "csv")
_SUFFIXES = {".md": MARKDOWN, ".markdown": MARKDOWN, ".tex": LATEX, ".csv": CSV, ".txt": TABLE}


def format_of(out: str | None, asked: str | None) -> str:
    """The format that is asked for, or that the name of the file says."""
    if asked is not None:
        if asked not in FORMATS:
            raise ParameterError(f"--format takes one of {', '.join(FORMATS)}, not '{asked}'.")
        return asked
    if out is None:
        return TABLE
    if Path(out).suffix.lower() not in _SUFFIXES:
        raise ParameterError(f"'{out}' does not say its format: end it in .md, .tex, .csv or .txt, or use --format.")
    return _SUFFIXES[Path(out).suffix.lower()]

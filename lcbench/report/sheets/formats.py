"""The formats in which tables are written: plain text, Markdown, LaTeX, or raw CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from lcbench.report.sheets.latex import latex
from lcbench.report.sheets.layout import plain_text
from lcbench.report.sheets.markdown import markdown
from lcbench.report.sheets.sheet import Sheet

TABLE, CSV = "table", "csv"


class RawRows(NamedTuple):
    """The unrounded numbers behind some tables in long format; if `quoted`, every text is in quotes."""

    columns: Sequence[str]
    rows: Iterable[Mapping[str, Any]]
    quoted: bool = True


def csv_text(raw: RawRows) -> str:
    """A line of column names, then a line per row; what a row does not have is empty."""
    text = io.StringIO()
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if raw.quoted else csv.QUOTE_MINIMAL
    writer = csv.DictWriter(text, raw.columns, lineterminator="\n", quoting=quoting, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(raw.rows)
    return text.getvalue()


class Format(NamedTuple):
    """The function that writes a sheet, None for the raw numbers, and the endings of files in this format."""

    write: Callable[[Sheet], str] | None
    endings: tuple[str, ...]


FORMATS = {
    TABLE: Format(plain_text, (".txt",)),
    "markdown": Format(markdown, (".md", ".markdown")),
    "latex": Format(latex, (".tex",)),
    CSV: Format(None, (".csv",)),
}


def write(sheets: Iterable[Sheet], raw: RawRows, format: str) -> str:
    """Tables as text in one of FORMATS, one after the other; or the raw numbers behind them."""
    writer = FORMATS[format].write
    return csv_text(raw) if writer is None else "\n".join(f"{writer(sheet).rstrip()}\n" for sheet in sheets)

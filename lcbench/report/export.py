"""Runs written as tables for other programs: CSV, Parquet, JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, BinaryIO

from lcbench.errors import MissingExtraError, OutputError
from lcbench.report.rows import COLUMNS

Row = dict[str, Any]
ROWS_AT_ONCE = 20_000


def write_csv(rows: Iterable[Row], file: BinaryIO) -> int:
    """UTF-8 with a line of column names; every text is quoted, a missing value is empty."""
    text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="", write_through=True)
    try:
        writer = csv.DictWriter(text, COLUMNS, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        writer.writeheader()
        count = 0
        for row in rows:
            writer.writerow(row)
            count += 1
    finally:
        text.detach()
    return count


def write_json(rows: Iterable[Row], file: BinaryIO) -> int:
    """An array with an object per row, each on a line of its own."""
    count = 0
    for row in rows:
        file.write((b",\n" if count else b"[\n") + json.dumps(row).encode())
        count += 1
    file.write(b"\n]\n" if count else b"[]\n")
    return count


def write_parquet(rows: Iterable[Row], file: BinaryIO) -> int:
    """A Parquet file; the types of its columns do not depend on the rows."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise MissingExtraError("Parquet needs pyarrow: pip install 'lcbench[frames]'.") from None
    types = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    schema = pa.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    remaining, count = map(_encodable, rows), 0
    with ParquetWriter(file, schema) as writer:
        while batch := list(islice(remaining, ROWS_AT_ONCE)):
            try:
                table = pa.Table.from_pylist(batch, schema=schema)
            except (pa.ArrowException, OverflowError) as error:
                raise OutputError(f"Parquet cannot hold a value of these runs ({error}): use csv or json.") from error
            writer.write_table(table)
            count += len(batch)
    return count


WRITERS: dict[str, Callable[[Iterable[Row], BinaryIO], int]] = {
    "csv": write_csv,
    "parquet": write_parquet,
    "json": write_json,
}


def _encodable(row: Row) -> Row:
    """The row with what UTF-8 has no bytes for written out."""
    return {
        name: value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
        for name, value in row.items()
    }

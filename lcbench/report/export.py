"""Exports runs as rows in long format, one per score, to CSV, JSON or Parquet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO

from lcbench.contract.hashing import canonical_json
from lcbench.errors import MissingExtraError, OutputError
from lcbench.records.record import RunRecord
from lcbench.report.sheets.formats import RawRows, csv_lines

Row = dict[str, Any]
ROWS_AT_ONCE = 20_000
COLUMNS: dict[str, type] = {
    "run_id": str, "method": str, "label": str, "params": str, "setting": str, "stream": str, "stream_label": str,
    "seed": int, "repeat": int, "order": str, "status": str, "metric": str, "tasks_learned": int, "position": int,
    "task": str, "score": float, "learn_seconds": float, "predict_seconds": float, "state_bytes": int,
    "tune": str, "chosen_params": str, "metric_seconds": float, "peak_bytes": int, "finished": str,
}  # fmt: skip


def run_rows(run: RunRecord) -> Iterator[Row]:
    """A row per score, with every column; if nothing was scored, one row without a metric."""
    chosen = run.choice.get("params") if run.choice is not None else None
    facts = {
        "run_id": run.run_id, "method": run.method, "label": run.label or run.method,
        "params": canonical_json(run.params), "setting": run.setting, "stream": run.stream,
        "stream_label": run.stream_label or run.stream, "seed": run.seed, "repeat": run.repeat,
        "order": ",".join(run.order), "status": run.status, "tune": run.tune["protocol"],
        "chosen_params": None if chosen is None else canonical_json(chosen), "peak_bytes": run.peak_bytes,
        "finished": run.finished,
    }  # fmt: skip
    cells = [
        {
            "metric": metric, "tasks_learned": i + 1, "position": j + 1, "task": run.order[j], "score": score,
            "learn_seconds": _at(run.learn_seconds, i), "predict_seconds": _at(run.predict_seconds, i),
            "metric_seconds": _at(run.metric_seconds, i), "state_bytes": _at(run.state_bytes, i),
        }
        for metric, R in run.scores.items()
        for i, row in enumerate(R)
        for j, score in enumerate(row)
        if score is not None
    ]  # fmt: skip
    for cell in cells or [{}]:
        values = facts | cell
        yield {column: values.get(column) for column in COLUMNS}


def write_csv(rows: Iterable[Row], file: BinaryIO) -> int:
    """Write UTF-8 with a line of column names; every text is quoted, a missing value is empty."""
    count = -1  # the header is no row
    for line in csv_lines(RawRows(tuple(COLUMNS), rows)):
        file.write(line.encode("utf-8", "backslashreplace"))
        count += 1
    return count


def write_json(rows: Iterable[Row], file: BinaryIO) -> int:
    """Write an array with an object per row, each on a line of its own."""
    count = 0
    for row in rows:
        file.write((b",\n" if count else b"[\n") + json.dumps(row).encode())
        count += 1
    file.write(b"\n]\n" if count else b"[]\n")
    return count


def write_parquet(rows: Iterable[Row], file: BinaryIO) -> int:
    """Write a Parquet file; the types of its columns do not depend on the rows."""
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


def _at(values: Sequence[float], step: int) -> float | None:
    """The value of a step; None if the run was stored by an older version that did not record it."""
    return values[step] if step < len(values) else None


def _encodable(row: Row) -> Row:
    """The row with characters that UTF-8 cannot encode written as escapes."""
    return {
        name: value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
        for name, value in row.items()
    }

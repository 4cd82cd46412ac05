"""Reads `.parquet` tables with pyarrow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from lcbench.contract.task import FloatArray
from lcbench.data.folders.arrays import check_size
from lcbench.data.folders.table_columns import Roles, Table, no_class, not_a_number, not_finite
from lcbench.errors import InvalidTaskError, MissingExtraError

_PANDAS_INDEX = re.compile(r"__index_level_\d+__")


def read_parquet(path: Path, shown: str, roles: Roles) -> Table:
    """Read one table; an error names the row and column of a bad cell."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError(f"'{shown}' needs pyarrow: pip install 'lcbench[frames]'.") from None
    try:
        with pq.ParquetFile(path) as file:
            check_size(file.metadata.num_rows * file.metadata.num_columns * 8, shown)
            table = file.read()
    except (OSError, pa.ArrowException) as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidTaskError(f"'{shown}' cannot be read, it is damaged or no .parquet file ({what}).") from error
    table = table.select([i for i, name in enumerate(table.column_names) if not _PANDAS_INDEX.fullmatch(name)])
    columns = tuple(table.column_names)
    if not columns:
        raise InvalidTaskError(f"'{shown}' has no columns.")
    places = roles.features(columns, shown)
    if not table.num_rows:
        raise InvalidTaskError(f"'{shown}' names its columns but has no row.")
    X = np.empty((table.num_rows, len(places)))
    for at, place in enumerate(places):
        X[:, at] = _numbers(table.column(place), columns[place], shown)
    y = None if roles.label is None else _classes(table.column(roles.label), roles.label, shown)
    return Table(columns, tuple(columns[place] for place in places), X, y)


def _numbers(column: Any, name: str, shown: str) -> FloatArray:
    """The values of a feature; an error names the first cell that is no finite number."""
    import pyarrow.types as types

    column = _decoded(column)
    kind = column.type
    if not any(is_kind(kind) for is_kind in (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)):
        row = next((i for i, cell in enumerate(column) if cell.is_valid), 0)
        text = types.is_string(kind) or types.is_large_string(kind)
        raise not_a_number(shown, f"row {row + 1}", name, str(column[row] if text else kind))
    empty = _first(column.is_null())
    if empty is not None:
        raise not_a_number(shown, f"row {empty + 1}", name, "")
    values: FloatArray = np.asarray(column.to_numpy(), dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise not_finite(shown, f"row {bad[0] + 1}", name, float(values[bad[0]]))
    return values


def _classes(column: Any, name: str, shown: str) -> Any:
    """The classes as text; an error names the first row that has none."""
    import pyarrow as pa

    column = _decoded(column)
    empty = _first(column.is_null(nan_is_null=True))
    if empty is not None:
        raise no_class(shown, f"row {empty + 1}", name)
    try:
        classes = np.array([text.strip() for text in column.cast(pa.string()).to_pylist()])
    except (pa.ArrowException, UnicodeDecodeError):
        raise InvalidTaskError(f"'{shown}': column '{name}' holds {column.type}, which cannot be classes.") from None
    empty = _first(classes == "")
    if empty is not None:
        raise no_class(shown, f"row {empty + 1}", name)
    return classes


def _decoded(column: Any) -> Any:
    """A column of categories (dictionary-encoded) turned into its values; any other as it is."""
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _first(flags: Any) -> int | None:
    """The position of the first true flag, or None."""
    places = np.flatnonzero(np.asarray(flags))
    return int(places[0]) if len(places) else None

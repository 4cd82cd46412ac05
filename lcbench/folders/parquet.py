"""Tables as `.parquet`, read by pyarrow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from lcbench.errors import InvalidTaskError, MissingExtraError
from lcbench.folders.columns import Roles, Table, no_class, not_a_number, not_finite
from lcbench.task import FloatArray

_PANDAS_INDEX = re.compile(r"__index_level_\d+__")


def read_parquet(path: Path, shown: str, roles: Roles) -> Table:
    """One table; an error that names row and column where it holds what it should not."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError(f"'{shown}' needs pyarrow: pip install 'lcbench[frames]'.") from None
    try:
        with pq.ParquetFile(path) as file:
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
    import pyarrow as pa

    column = _decoded(column)
    kind = column.type
    if not (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
    ):
        row = next((i for i, cell in enumerate(column) if cell.is_valid), 0)
        raise not_a_number(shown, f"row {row + 1}", name, str(column[row].as_py()))
    empty = _first_null(column)
    if empty is not None:
        raise not_a_number(shown, f"row {empty + 1}", name, "")
    values: FloatArray = np.asarray(column.to_numpy(), dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise not_finite(shown, f"row {bad[0] + 1}", name, float(values[bad[0]]))
    return values


def _classes(column: Any, name: str, shown: str) -> Any:
    column = _decoded(column)
    empty = _first_null(column)
    if empty is None:
        classes = np.array([str(value).strip() for value in column.to_pylist()])
        blank = np.flatnonzero(classes == "")
        if not len(blank):
            return classes
        empty = int(blank[0])
    raise no_class(shown, f"row {empty + 1}", name)


def _decoded(column: Any) -> Any:
    """A column of categories as its values."""
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _first_null(column: Any) -> int | None:
    if not column.null_count:
        return None
    return int(np.flatnonzero(column.is_null().to_numpy())[0])

"""Loads tasks from CSV, TSV and Parquet tables, their columns in the same order.

A CSV or TSV file has a line of column names, then one sample per line.
"""

from __future__ import annotations

import csv
import logging
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from lcbench.contract.specs import Params
from lcbench.contract.task import FloatArray
from lcbench.data.folders.arrays import Samples
from lcbench.data.folders.layout import Layout
from lcbench.data.folders.parquet_tables import read_parquet
from lcbench.data.folders.settings import FILE_NAME
from lcbench.data.folders.table_columns import Roles, Table, is_number, no_class, not_a_number, not_finite
from lcbench.errors import InvalidTaskError, ParameterError, suggestion

logger = logging.getLogger(__name__)
_LOOKS_LIKE_A_LABEL = ("label", "labels", "class", "target", "y")
_DELIMITERS = ",;\t"


def load_tables(layout: Layout, params: Params) -> list[Samples]:
    """Read the tasks of a folder of tables; columns are put in the order of the first table."""
    roles = Roles(params["label"], tuple(layout.settings.drop))
    tables = [_table(layout, file, roles) for file in layout.files]
    _check_drop(layout, tables)
    if roles.label is None:
        _warn_about_label(layout.shown, tables[0])
    first = tables[0].columns
    return [
        Samples(*_aligned(table, first), layout.show(file)) for file, table in zip(layout.files, tables, strict=True)
    ]


def _table(layout: Layout, file: str, roles: Roles) -> Table:
    read = read_parquet if file.lower().endswith(".parquet") else read_csv
    return read(layout.path(file), layout.show(file), roles)


def _aligned(table: Table, first: tuple[str, ...]) -> tuple[FloatArray, Any, tuple[str, ...]]:
    """Data, classes and columns of a table, in the order of the first table if it has the same columns."""
    if table.columns == first or set(table.columns) != set(first):
        return table.X, table.y, table.columns
    place = {column: i for i, column in enumerate(table.columns)}
    return table.X[:, [place[column] for column in first]], table.y, first


def _check_drop(layout: Layout, tables: Sequence[Table]) -> None:
    """Refuse a column under `drop` in stream.toml that no table has: it is misspelt."""
    known = {column: None for table in tables for column in table.header}
    for column in layout.settings.drop:
        if column not in known:
            raise ParameterError(
                f"'{layout.show(FILE_NAME)}' drops the column '{column}', which no table has."
                f"{suggestion(column, known)}"
            )


def _warn_about_label(shown: str, table: Table) -> None:
    """Warn if a feature has a name that label columns often have, such as `class` or `target`."""
    for column in table.columns:
        if column.lower() in _LOOKS_LIKE_A_LABEL:
            logger.warning(
                "Stream '%s': column '%s' is taken as a feature; if it holds the class, say label=%s.",
                shown, column, column,
            )  # fmt: skip


def read_csv(path: Path, shown: str, roles: Roles) -> Table:
    """Read one table; an error names the row, line and column of a bad cell."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _read(file, shown, roles, is_tsv=path.suffix.lower() == ".tsv")
    except UnicodeDecodeError as error:
        raise InvalidTaskError(f"'{shown}' is not UTF-8 text: save it as UTF-8.") from error
    except csv.Error as error:
        raise InvalidTaskError(f"'{shown}' cannot be read as a table ({error}).") from error
    except OSError as error:
        raise InvalidTaskError(f"'{shown}' cannot be read ({error.strerror}).") from error


def _read(file: TextIO, shown: str, roles: Roles, *, is_tsv: bool) -> Table:
    reader = csv.reader(file, delimiter="\t" if is_tsv else _delimiter(file))
    header = tuple(cell.strip() for cell in next(reader, []))
    if not header:
        raise InvalidTaskError(f"'{shown}' does not start with a line of column names.")
    if all(is_number(name) and not name.isdecimal() for name in header):  # 0, 1, 2 are names that pandas gives
        raise InvalidTaskError(f"'{shown}' starts with numbers: its first line must hold the names of the columns.")
    features = roles.features(header, shown)
    label = None if roles.label is None else header.index(roles.label)
    values, classes, lines = array("d"), [], array("q")
    for row in filter(None, reader):  # empty lines are skipped
        lines.append(reader.line_num)
        cells = [row[place] for place in features] if len(row) == len(header) else None
        if cells is None or not _add_numbers(values, cells):
            raise _fault(row, header, features, shown, _where(lines, -1))
        if label is not None:
            classes.append(row[label].strip())
            if not classes[-1]:
                raise no_class(shown, _where(lines, -1), header[label])
    if not lines:
        raise InvalidTaskError(f"'{shown}' names its columns but has no row.")
    X = np.frombuffer(values, dtype=np.float64).reshape(len(lines), len(features))
    bad = np.argwhere(~np.isfinite(X))
    if len(bad):
        at, column = bad[0]
        raise not_finite(shown, _where(lines, at), header[features[column]], float(X[at, column]))
    return Table(header, tuple(header[place] for place in features), X, None if label is None else np.array(classes))


def _delimiter(file: TextIO) -> str:
    """The delimiter that splits the first line into most columns; a comma if none splits it."""
    line = file.readline()
    file.seek(0)
    return max(_DELIMITERS, key=lambda delimiter: len(next(csv.reader([line], delimiter=delimiter), [])))


def _add_numbers(values: array[float], cells: Sequence[str]) -> bool:
    """Append the cells to the values as numbers; False if one is no number."""
    try:
        values.extend(map(float, cells))
    except ValueError:
        return False
    return "_" not in "".join(cells)


def _fault(
    row: Sequence[str], header: Sequence[str], features: Sequence[int], shown: str, where: str
) -> InvalidTaskError:
    """The error for a row that is too long or too short, or that has a cell that is no number."""
    if len(row) != len(header):
        return InvalidTaskError(f"'{shown}': {where} has {len(row)} cells, but there are {len(header)} columns.")
    place = next(place for place in features if not is_number(row[place]))
    return not_a_number(shown, where, header[place], row[place])


def _where(lines: Sequence[int], at: int) -> str:
    """A row, counted from 1, and the line of the file where it ends, for errors."""
    return f"row {range(len(lines))[at] + 1} (line {lines[at]})"

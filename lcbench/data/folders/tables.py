"""Loads tasks from CSV, TSV and Parquet tables, their columns in the same order.

A CSV or TSV file has a line of column names, then one sample per line; Parquet is read with pyarrow. An error names the
cell that is wrong.
"""

from __future__ import annotations

import csv
import logging
import re
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from lcbench.contract.specs import Params
from lcbench.contract.task import FloatArray
from lcbench.data.folders.arrays import Samples, check_size
from lcbench.data.folders.layout import Layout
from lcbench.data.folders.settings import FILE_NAME
from lcbench.errors import InvalidTaskError, MissingExtraError, ParameterError, suggestion

logger = logging.getLogger(__name__)
_LOOKS_LIKE_A_LABEL = ("label", "labels", "class", "target", "y")
_LOOKS_LIKE_AN_ID = ("id", "ids", "uid", "uuid", "guid", "key", "index", "idx", "row", "rowid", "row_id", "unnamed: 0")
LEAST_ROWS_TO_TELL = 20  # fewer whole numbers may well differ by chance
_DELIMITERS = ",;\t"
_PANDAS_INDEX = re.compile(r"__index_level_\d+__")


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The content of a table: features, and the classes if a label column was named.

    `columns` are the names of the features, `header` those of all columns, also of those that are left out.
    """

    header: tuple[str, ...]
    columns: tuple[str, ...]
    X: FloatArray
    y: Any


@dataclass(frozen=True, slots=True)
class Roles:
    """The label column, which holds the classes, and the columns to leave out."""

    label: str | None = None
    drop: tuple[str, ...] = ()

    def features(self, columns: Sequence[str], shown: str) -> list[int]:
        """The positions of the feature columns; an error if names are empty or repeated, or the label is missing."""
        _check_names(columns, shown)
        if self.label is not None and self.label not in columns:
            raise ParameterError(
                f"'{shown}' has no column '{self.label}' for the label.{suggestion(self.label, columns)}"
            )
        places = [i for i, column in enumerate(columns) if column != self.label and column not in self.drop]
        if not places:
            raise InvalidTaskError(f"'{shown}' has no column left that is a feature.")
        return places


def _check_names(columns: Sequence[str], shown: str) -> None:
    for place, column in enumerate(columns):
        if not column:
            raise InvalidTaskError(
                f"'{shown}': column {place + 1} has no name; if pandas wrote its index there, save with index=False."
            )
    column, times = Counter(columns).most_common(1)[0]
    if times > 1:
        raise InvalidTaskError(f"'{shown}' has {times} columns named '{column}': names must differ.")


def load_tables(layout: Layout, params: Params) -> list[Samples]:
    """Read the tasks of a folder of tables; columns are put in the order of the first table."""
    roles = Roles(params["label"], tuple(layout.settings.drop))
    tables = [_table(layout, file, roles) for file in layout.files]
    _check_drop(layout, tables)
    if roles.label is None:
        _warn_about_label(layout.shown, tables[0])
    _warn_about_ids(layout, tables)
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


def _warn_about_ids(layout: Layout, tables: Sequence[Table]) -> None:
    """Warn if a feature has a name of row numbers, or is a whole number that is another one in every row."""
    first = tables[0]
    for place, column in enumerate(first.columns):
        values = first.X[:, place]
        named = column.lower() in _LOOKS_LIKE_AN_ID
        numbered = len(values) >= LEAST_ROWS_TO_TELL and bool((values == np.floor(values)).all())
        if named or (numbered and len(np.unique(values)) == len(values)):
            why = "its name is that of row numbers" if named else "it is another whole number in every row"
            logger.warning(
                "Stream '%s': column '%s' is taken as a feature, though %s; if it says nothing about the samples, "
                'write drop = ["%s"] in %s.',
                layout.shown, column, why, column, layout.show(FILE_NAME),
            )  # fmt: skip


def read_csv(path: Path, shown: str, roles: Roles) -> Table:
    """Read one table; an error names the row, line and column of a bad cell."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _read_csv(file, shown, roles, is_tsv=path.suffix.lower() == ".tsv")
    except UnicodeDecodeError as error:
        raise InvalidTaskError(f"'{shown}' is not UTF-8 text: save it as UTF-8.") from error
    except csv.Error as error:
        raise InvalidTaskError(f"'{shown}' cannot be read as a table ({error}).") from error
    except OSError as error:
        raise InvalidTaskError(f"'{shown}' cannot be read ({error.strerror}).") from error


def _read_csv(file: TextIO, shown: str, roles: Roles, *, is_tsv: bool) -> Table:
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
    try:
        classes = np.array([(text or "").strip() for text in column.cast(pa.string()).to_pylist()])
    except (pa.ArrowException, UnicodeDecodeError):
        raise InvalidTaskError(f"'{shown}': column '{name}' holds {column.type}, which cannot be classes.") from None
    empty = _first(np.asarray(column.is_null(nan_is_null=True)) | (classes == ""))
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


def is_number(text: str) -> bool:
    """True if a cell is a number. Python would also take "2020_01" for one; that is refused."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def not_a_number(shown: str, where: str, column: str, value: str) -> InvalidTaskError:
    """The error for a cell of a feature that cannot be read."""
    if not value.strip():
        return InvalidTaskError(f"'{shown}': {where}, column '{column}' is empty: fill it in, or remove the row.")
    comma = value.replace(",", ".", 1)
    if "," in value and is_number(comma):
        return InvalidTaskError(
            f"'{shown}': {where}, column '{column}' holds '{value}', with a comma: write {comma.strip()}, with a point."
        )
    return InvalidTaskError(
        f"'{shown}': {where}, column '{column}' holds '{value[:40]}', which is no number: if it is the class, say "
        f"label={column}, else leave the column out with drop in stream.toml."
    )


def not_finite(shown: str, where: str, column: str, value: float) -> InvalidTaskError:
    """The error for a cell of a feature that holds NaN or infinity."""
    return InvalidTaskError(f"'{shown}': {where}, column '{column}' holds {value}: remove or impute it first.")


def no_class(shown: str, where: str, column: str) -> InvalidTaskError:
    """The error for a row without a class."""
    return InvalidTaskError(f"'{shown}': {where} has no class in column '{column}': every row needs one.")

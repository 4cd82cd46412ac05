"""Loads tasks from CSV, TSV and Parquet tables, their columns in the same order."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from lcbench.contract.specs import Params
from lcbench.contract.task import FloatArray
from lcbench.data.folders.arrays import Samples
from lcbench.data.folders.layout import Layout
from lcbench.data.folders.settings import FILE_NAME
from lcbench.data.folders.table_files import Roles, Table, read_csv, read_parquet
from lcbench.errors import ParameterError, suggestion

logger = logging.getLogger(__name__)
_LOOKS_LIKE_A_LABEL = ("label", "labels", "class", "target", "y")


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

"""Tells the feature columns of a table from its label column; errors for bad cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lcbench.contract.task import FloatArray
from lcbench.errors import InvalidTaskError, ParameterError, suggestion


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


def _check_names(columns: Sequence[str], shown: str) -> None:
    for place, column in enumerate(columns):
        if not column:
            raise InvalidTaskError(
                f"'{shown}': column {place + 1} has no name; if pandas wrote its index there, save with index=False."
            )
    column, times = Counter(columns).most_common(1)[0]
    if times > 1:
        raise InvalidTaskError(f"'{shown}' has {times} columns named '{column}': names must differ.")

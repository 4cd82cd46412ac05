"""What is read for one task, whatever it was kept in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lcbench.contract.task import Matrix
from lcbench.errors import InvalidTaskError

MOST_BYTES = 8 * 1024**3


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The data of a task, the classes if there are any, and the file or folder they are from, as errors call it."""

    X: Matrix
    y: Any
    feature_names: tuple[str, ...] | None
    shown: str


def check_size(size: int, shown: str) -> None:
    """Refuse a file that says it unpacks to more than is ever read."""
    if size > MOST_BYTES:
        raise InvalidTaskError(
            f"'{shown}' unpacks to {size:,} bytes, more than the {MOST_BYTES:,} that are read: split it into tasks."
        )

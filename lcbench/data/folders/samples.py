"""The data read for one task, and the limit on the size of a file that is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lcbench.contract.task import Matrix
from lcbench.errors import InvalidTaskError

MOST_BYTES = 8 * 1024**3


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The data of a task, its classes or None, and the file or folder they are from, as errors name it."""

    X: Matrix
    y: Any
    feature_names: tuple[str, ...] | None
    shown: str


def check_size(size: int, shown: str) -> None:
    """Refuse a file that would take more than MOST_BYTES when unpacked."""
    if size > MOST_BYTES:
        raise InvalidTaskError(
            f"'{shown}' unpacks to {size:,} bytes, more than the {MOST_BYTES:,} that are read: split it into tasks."
        )

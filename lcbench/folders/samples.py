"""What is read for one task, whatever it was kept in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lcbench.task import Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The data of a task, the classes if there are any, and the file or folder they are from, as errors call it."""

    X: Matrix
    y: Any
    feature_names: tuple[str, ...] | None
    shown: str

"""What a worker is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lcbench.entries import MethodEntry
from lcbench.record import RunRecord

if TYPE_CHECKING:
    from lcbench.workers.sharing import SharedStream


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What holds for all runs of a worker."""

    parent: int
    memory_limit: int | None
    log_level: int


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One run: its blank record, its method, its stream, what it is scored with, and how it is audited."""

    record: RunRecord
    method: MethodEntry
    stream: SharedStream
    metrics: tuple[str, ...]
    audit: tuple[str, ...]

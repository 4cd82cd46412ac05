"""Memory addresses of arrays: their total size, and overlaps with the data of tasks."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable
from operator import itemgetter
from typing import Any

import numpy as np

from lcbench.contract.task import Task, parts_of

MemoryRange = tuple[int, int]  # first address, address after the last
_interface = np.ndarray.__dict__["__array_interface__"].__get__
_nbytes = np.ndarray.__dict__["nbytes"].__get__


def range_of(array: Any) -> MemoryRange | None:
    """The address range of an array's data, None if it is empty. Calls nothing that a subclass may override."""
    size = _nbytes(array)
    if size == 0:
        return None
    facts = _interface(array)
    start, strides = facts["data"][0], facts["strides"]
    if strides is None:  # contiguous
        return start, start + size
    reach = [(count - 1) * stride for count, stride in zip(facts["shape"], strides, strict=True)]
    last = start + sum(step for step in reach if step > 0) + array.dtype.itemsize
    return start + sum(step for step in reach if step < 0), last


def task_ranges(task: Task) -> list[MemoryRange]:
    """The address ranges of a task's data."""
    return [found for array in parts_of(task.X) if (found := range_of(array)) is not None]


def covered(ranges: Iterable[MemoryRange]) -> int:
    """The number of bytes in the union of `ranges`."""
    total = reached = 0
    for start, end in sorted(ranges):
        if end > reached:
            total += end - max(start, reached)
            reached = end
    return total


class TaskMap:
    """Finds tasks, as positions in the order they were added, by memory address. Arrays must not overlap or move."""

    def __init__(self, tasks: Iterable[Task] = ()) -> None:
        self._places: list[tuple[int, int, int]] = []
        self._count = 0
        for task in tasks:
            self.add(task)

    def add(self, task: Task) -> list[MemoryRange]:
        """Add a task, and return the address ranges of its data."""
        ranges = task_ranges(task)
        for found in ranges:
            insort(self._places, (*found, self._count))
        self._count += 1
        return ranges

    def touched(self, ranges: Iterable[MemoryRange]) -> set[int]:
        """The tasks whose arrays share memory with one of `ranges`."""
        found: set[int] = set()
        for start, end in ranges:
            at = max(bisect_right(self._places, start, key=itemgetter(0)) - 1, 0)
            for first, last, task in self._places[at:]:
                if first >= end:
                    break
                if start < last:
                    found.add(task)
        return found

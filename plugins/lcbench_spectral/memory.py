"""Refuses a task whose matrices of all pairs of samples would not fit in memory, before they are made."""

from __future__ import annotations

import math
import os

from lcbench import Task, UnsuitableTaskError


def available_memory() -> int | None:
    """Bytes that can be had: what is free, or half of all memory if that is more, since files fill what is free.

    None where the system does not say.
    """
    try:
        page, total = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    try:
        free = os.sysconf("SC_AVPHYS_PAGES")
    except (ValueError, OSError):  # not known to macOS
        free = 0
    return page * max(free, total // 2)


def check_pairs_fit(task: Task, method: str, bytes_per_pair: int) -> None:
    """Refuse a task whose n x n matrices, `bytes_per_pair` n² bytes in all, are larger than the memory there is."""
    available = available_memory()
    needed = bytes_per_pair * task.n_samples**2
    if available is None or needed <= available:
        return
    most = math.isqrt(available // bytes_per_pair)
    raise UnsuitableTaskError(
        f"{method} compares all pairs of samples: the {task.n_samples} of task '{task.name}' need {needed / 1e9:.1f} "
        f"GB of memory, and {available / 1e9:.1f} GB are there, enough for {most} samples: take that many of the task, "
        "or use a method with a nearest-neighbour graph such as stsc."
    )

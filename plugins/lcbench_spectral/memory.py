"""Refuses a task whose matrices of all pairs of samples would not fit in memory, before they are made."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from lcbench import Task, UnsuitableTaskError

ADVICE = "take that many of the task, or use a method with a nearest-neighbour graph such as stsc"


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


def check_pairs_fit(tasks: Sequence[Task], method: str, bytes_per_pair: int, advice: str = ADVICE) -> None:
    """Refuse tasks whose n x n matrices, `bytes_per_pair` n² bytes in all, are larger than the memory there is.

    n is the number of samples of all tasks together.
    """
    n, available = sum(task.n_samples for task in tasks), available_memory()
    needed = bytes_per_pair * n**2
    if available is None or needed <= available:
        return
    raise UnsuitableTaskError(
        f"{method} compares all pairs of samples: the {n} {'seen with' if len(tasks) > 1 else 'of'} task "
        f"'{tasks[-1].name}' need {needed / 1e9:.1f} GB of memory, and {available / 1e9:.1f} GB are there, enough for "
        f"{math.isqrt(available // bytes_per_pair)} samples: {advice}."
    )

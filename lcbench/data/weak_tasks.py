"""Says which tasks are valid but prove little: zero rows, rows sorted by class, one cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lcbench.printable import MOST_NAMED

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray, LabelledTask

ROWS_PER_CLASS = 5  # with fewer, rows may come class by class by chance


def weaknesses(tasks: Sequence[LabelledTask]) -> Iterator[str]:
    """A sentence for each weakness that some tasks have, with their names."""
    zero = [labelled.name for labelled in tasks if labelled.task.zero_rows]
    if zero:
        rows = sum(labelled.task.zero_rows for labelled in tasks)
        total = sum(labelled.task.n_samples for labelled in tasks if labelled.task.zero_rows)
        yield (
            f"{rows:,} of the {total:,} rows of {_named(zero)} are all zero; they look alike to every method and end "
            "up in whatever cluster takes them."
        )
    in_blocks = [labelled.name for labelled in tasks if labelled.y is not None and _comes_in_blocks(labelled.y)]
    if in_blocks:
        yield f"the rows of {_named(in_blocks)} are sorted by class, which a method could use: shuffle them."
    single = [labelled.name for labelled in tasks if labelled.task.n_clusters == 1]
    if single:
        have = "has" if len(single) == 1 else "have"
        yield f"{_named(single)} {have} one cluster: there is nothing to find there and scores say nothing."


def _named(tasks: Sequence[str]) -> str:
    more = f" and {len(tasks) - MOST_NAMED:,} more" if len(tasks) > MOST_NAMED else ""
    listed = ", ".join(f"'{name}'" for name in tasks[:MOST_NAMED])
    return f"task {listed}" if len(tasks) == 1 else f"tasks {listed}{more}"


def _comes_in_blocks(y: IntArray) -> bool:
    classes = int(y.max()) + 1
    changes = int((y[1:] != y[:-1]).sum())
    return 1 < classes == changes + 1 and len(y) >= ROWS_PER_CLASS * classes

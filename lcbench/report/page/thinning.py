"""Chooses how much curve data of each stream the page holds, to keep the file small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lcbench.printable import counted

BUDGET = 2_000_000  # bytes of all streams together
BYTES_PER_CELL = 5  # four digits and a comma
MANY_STEPS, FEW_STEPS = 25, 10


@dataclass(frozen=True, slots=True)
class Extent:
    """The data that a stream has: its metrics, the `shown` first ones in the tables too, tasks, and runs per method."""

    metrics: tuple[str, ...]
    shown: int
    tasks: int
    runs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Detail:
    """The data of a stream that the page holds: metrics, steps (numbers of tasks learned), each run or the mean."""

    metrics: tuple[str, ...]
    steps: tuple[int, ...]
    each_run: bool = True

    def size(self, extent: Extent) -> int:
        """The approximate number of bytes of this data."""
        cells = (
            sum(self.steps) * sum(extent.runs) if self.each_run else extent.tasks * len(self.steps) * len(extent.runs)
        )
        return BYTES_PER_CELL * len(self.metrics) * cells


def details(extent: Extent) -> list[Detail]:
    """The choices for a stream, from all of its data to little of it."""
    shown = extent.metrics[: extent.shown]
    every, many, few = (evenly(extent.tasks, most) for most in (extent.tasks, MANY_STEPS, FEW_STEPS))
    return [
        Detail(extent.metrics, every),
        Detail(shown, every),
        Detail(shown, many),
        Detail(shown, many, each_run=False),
        Detail(shown[:1], few, each_run=False),
    ]


def choose_details(extents: Sequence[Extent], budget: int = BUDGET) -> list[Detail]:
    """Chooses the most detail that fits the budget; the largest stream is thinned out first."""
    ladders = [details(extent) for extent in extents]
    while True:
        sizes = [ladder[0].size(extent) for ladder, extent in zip(ladders, extents, strict=True)]
        movable = [i for i, ladder in enumerate(ladders) if len(ladder) > 1]
        if sum(sizes) <= budget or not movable:
            return [ladder[0] for ladder in ladders]
        ladders[max(movable, key=lambda i: sizes[i])].pop(0)


def evenly(tasks: int, most: int) -> tuple[int, ...]:
    """At most `most` of the numbers 1 to `tasks`, the first and the last among them, at even distances."""
    if tasks <= most:
        return tuple(range(1, tasks + 1))
    return tuple(sorted({1 + round(k * (tasks - 1) / (most - 1)) for k in range(most)}))


def thinning_note(detail: Detail, extent: Extent) -> str:
    """A sentence on what is missing from the curves of a stream; empty if nothing is."""
    left = []
    if len(detail.metrics) < len(extent.metrics):
        left.append(f"{counted(len(detail.metrics), 'metric')} of {len(extent.metrics)}")
    if len(detail.steps) < extent.tasks:
        left.append(f"{counted(len(detail.steps), 'step')} of {extent.tasks}")
    if not detail.each_run:
        left.append("one order, as there are too many runs to choose among")
    return f"To keep this page small the curves have {' and '.join(left)}." if left else ""

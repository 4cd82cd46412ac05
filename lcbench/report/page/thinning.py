"""How much of a stream's runs the page carries: all, or less where that would make the file large, which is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lcbench.printable import counted

BUDGET = 2_000_000
BYTES_PER_CELL = 5  # four digits and a comma
MANY_STEPS, FEW_STEPS = 25, 10


@dataclass(frozen=True, slots=True)
class Extent:
    """What there is of a stream: its metrics, those shown in the tables first, its tasks, and runs by method."""

    metrics: tuple[str, ...]
    shown: int
    tasks: int
    runs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Detail:
    """What the page carries of a stream: metrics, numbers of tasks learned, and each run or the mean over them."""

    metrics: tuple[str, ...]
    steps: tuple[int, ...]
    each_run: bool = True

    def size(self, extent: Extent) -> int:
        """About how many bytes that is."""
        cells = (
            sum(self.steps) * sum(extent.runs) if self.each_run else extent.tasks * len(self.steps) * len(extent.runs)
        )
        return BYTES_PER_CELL * len(self.metrics) * cells


def details(extent: Extent) -> list[Detail]:
    """What may be carried of a stream, from all to little."""
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
    """The most of every stream that fits: the largest gives way first."""
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


def said(detail: Detail, extent: Extent) -> str:
    """What is missing from the curves of a stream, as a sentence; empty if nothing is."""
    left = []
    if len(detail.metrics) < len(extent.metrics):
        left.append(f"{counted(len(detail.metrics), 'metric')} of {len(extent.metrics)}")
    if len(detail.steps) < extent.tasks:
        left.append(f"{counted(len(detail.steps), 'step')} of {extent.tasks}")
    if not detail.each_run:
        left.append("means over all orders, which cannot be chosen here")
    return f"To keep this page small the curves have {' and '.join(left)}." if left else ""

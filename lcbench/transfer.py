"""Figures derived from the matrix R of a run, each with the formula it stands for.

R[i][j] is the score of the task learned j-th after i + 1 tasks; None where it was not scored. T is the number of
tasks. Published tools disagree about what such figures are called, even in sign: every figure carries an id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, TypeAlias

Cell: TypeAlias = float | None
ScoreMatrix: TypeAlias = Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Formula:
    """A figure of a run: its name, the id of its formula, the formula, and where it comes from."""

    name: str
    id: str
    text: str
    reference: str
    compute: Callable[[ScoreMatrix], Cell]


def average_at_arrival(R: ScoreMatrix) -> Cell:
    """The mean of the diagonal: each task right after it was learned."""
    return _mean([R[i][i] for i in range(len(R))])


def average_after_all(R: ScoreMatrix) -> Cell:
    """The mean of the last row: each task after all were learned."""
    return _mean(R[-1]) if R else None


def backward_transfer(R: ScoreMatrix) -> Cell:
    """The mean change of a task's score from its arrival to the end, without the last task, which cannot change."""
    last = len(R) - 1
    return _mean([_difference(R[last][j], R[j][j]) for j in range(last)])


FORMULAS: tuple[Formula, ...] = (
    Formula(
        "average_at_arrival",
        "mean-diagonal",
        "(1/T) sum_i R[i][i]",
        "Sun et al., Lifelong Spectral Clustering, AAAI 2020 (a task's result when it is learned)",
        average_at_arrival,
    ),
    Formula(
        "average_after_all",
        "mean-last-row",
        "(1/T) sum_j R[T-1][j]",
        "Lopez-Paz and Ranzato, Gradient Episodic Memory for Continual Learning, NeurIPS 2017 (ACC)",
        average_after_all,
    ),
    Formula(
        "backward_transfer",
        "last-minus-diagonal",
        "(1/(T-1)) sum_{j<T-1} (R[T-1][j] - R[j][j])",
        "Lopez-Paz and Ranzato, Gradient Episodic Memory for Continual Learning, NeurIPS 2017 (BWT)",
        backward_transfer,
    ),
)


def summarise(R: ScoreMatrix) -> dict[str, dict[str, Any]]:
    """Every figure of a complete R, as name -> value and formula id."""
    return {f.name: {"value": f.compute(R), "formula": f.id} for f in FORMULAS}


def _mean(cells: Sequence[Cell]) -> Cell:
    """The mean, or None where a cell is missing: a mean over other cells would be another figure."""
    values = [cell for cell in cells if cell is not None]
    return fmean(values) if values and len(values) == len(cells) else None


def _difference(a: Cell, b: Cell) -> Cell:
    return None if a is None or b is None else a - b

"""The formulas of lifelong figures: averages, transfer and its parts, gains, forgetting.

They are derived from the matrix R: R[i][j] is the score of the task learned j-th after i + 1 tasks; None where it was
not scored. T is the number of tasks. solo[j] is the score of the same method on the same task where it learned that
task alone, alone[j] that of its single-task baseline, another method. A[i][j] is the adjusted Rand index (ARI) of that
task's partition after i + 1 tasks with the one when it was learned. Published tools disagree about the names of such
figures, and even about their signs: every figure carries the id of its formula.

Transfer is what other tasks do to a task, so it is measured against solo; a difference to another method is a gain over
it. The parts add up, as all of them are means over all T tasks:

    total transfer = forward + backward
    gain over the baseline = own gain + forward + backward

Differences have the sign of the metric: under one where less is better, a negative transfer is good news. Forgetting is
always positive where a task is worse than it was.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from typing import Any, TypeAlias, TypeVar

Cell: TypeAlias = float | None
ScoreMatrix: TypeAlias = Sequence[Sequence[Cell]]
Function = TypeVar("Function", bound=Callable[..., float | None])
_SUN = "Sun et al., Lifelong Spectral Clustering, AAAI 2020"
_LOPEZ_PAZ = "Lopez-Paz and Ranzato, Gradient Episodic Memory for Continual Learning, NeurIPS 2017"
_CHAUDHRY = "Chaudhry et al., Riemannian Walk for Incremental Learning, ECCV 2018"
_DIAZ = "Díaz-Rodríguez et al., Don't forget, there is more than forgetting, arXiv:1810.13166, 2018"
_HUBERT = "Hubert and Arabie, Comparing partitions, Journal of Classification 2, 1985"
_REBUFFI = "Rebuffi et al., iCaRL: Incremental Classifier and Representation Learning, CVPR 2017"


@dataclass(frozen=True, slots=True)
class Formula:
    """A figure of a run: its name, the id of its formula, the formula, its reference, and the inputs it needs."""

    name: str
    id: str
    text: str
    reference: str
    needs: tuple[str, ...]
    of: Callable[..., Cell]

    def compute(
        self,
        R: ScoreMatrix,
        *,
        solo: Sequence[Cell] | None = None,
        alone: Sequence[Cell] | None = None,
        agreement: ScoreMatrix | None = None,
        greater_is_better: bool = True,
    ) -> Cell:
        """The figure; None if an input that it needs is missing."""
        given = {"R": R, "solo": solo, "alone": alone, "agreement": agreement, "greater_is_better": greater_is_better}
        parts = [given[name] for name in self.needs if given[name] is not None]
        return self.of(*parts) if len(parts) == len(self.needs) else None


FORMULAS: list[Formula] = []  # in the order of the functions below, which is that of tables


def _formula(formula_id: str, text: str, reference: str) -> Callable[[Function], Function]:
    """Lists a function as a formula of its own name, which needs the inputs that its arguments are called."""

    def listed(function: Function) -> Function:
        needs = tuple(inspect.signature(function).parameters)
        FORMULAS.append(Formula(function.__name__, formula_id, text, reference, needs, function))
        return function

    return listed


@_formula("mean-diagonal", "(1/T) sum_i R[i][i]", f"{_SUN} (a task's result when it is learned)")
def average_at_arrival(R: ScoreMatrix) -> Cell:
    """The mean of the diagonal: each task right after it was learned."""
    return _mean(_diagonal(R))


@_formula("mean-last-row", "(1/T) sum_j R[T-1][j]", f"{_LOPEZ_PAZ} (ACC)")
def average_after_all(R: ScoreMatrix) -> Cell:
    """The mean of the last row: each task after all were learned."""
    return _mean(R[-1]) if R else None


@_formula("last-minus-diagonal", "(1/(T-1)) sum_{j<T-1} (R[T-1][j] - R[j][j])", f"{_LOPEZ_PAZ} (BWT)")
def backward_transfer(R: ScoreMatrix) -> Cell:
    """The mean change of a task's score from its arrival to the end, without the last task, which cannot change."""
    return _mean([_difference(R[-1][j], R[j][j]) for j in range(len(R) - 1)])


@_formula(
    "best-since-learned-minus-last",
    "(1/(T-1)) sum_{j<T-1} (max_{j<=i<T-1} R[i][j] - R[T-1][j])",
    f"{_CHAUDHRY} (forgetting, with the maximum taken from when the task was learned on)",
)
def forgetting(R: ScoreMatrix, greater_is_better: bool = True) -> Cell:
    """The mean loss from a task's best score since it was learned to its last; below 0 where the last is the best.

    The best is over i = j, ..., T-2, so without the end itself. The last task, which no task followed, is left out.
    """
    best = max if greater_is_better else min
    losses = []
    for j in range(len(R) - 1):
        before = [R[i][j] for i in range(j, len(R) - 1)]
        scored = [cell for cell in before if cell is not None]
        loss = _difference(best(scored), R[-1][j]) if len(scored) == len(before) else None
        losses.append(loss if greater_is_better else _difference(0.0, loss))
    return _mean(losses)


@_formula("mean-solo", "(1/T) sum_j solo[j]", "ours: each task learned alone by the same method")
def solo_average(solo: Sequence[Cell]) -> Cell:
    """The mean over the tasks, each learned alone by the same method."""
    return _mean(solo)


@_formula("diagonal-minus-solo", "(1/T) sum_j (R[j][j] - solo[j])", "ours: what the tasks before a task do to it")
def forward(R: ScoreMatrix, solo: Sequence[Cell]) -> Cell:
    """The mean difference of a task right after it was learned to the same task learned alone: what came before it."""
    return _mean(_differences(_diagonal(R), solo))


@_formula(
    "last-minus-diagonal-over-all",
    "(1/T) sum_j (R[T-1][j] - R[j][j])",
    f"{_LOPEZ_PAZ} (BWT, here over all T tasks)",
)
def backward(R: ScoreMatrix) -> Cell:
    """The mean change of a task's score from its arrival to the end: what came after it. That of the last is zero."""
    return _mean(_differences(R[-1], _diagonal(R))) if R else None


@_formula("last-minus-solo", "(1/T) sum_j (R[T-1][j] - solo[j])", "ours: forward + backward")
def total_transfer(R: ScoreMatrix, solo: Sequence[Cell]) -> Cell:
    """The mean difference of a task after all were learned to the same task learned alone: what all others do."""
    return _mean(_differences(R[-1], solo)) if R else None


@_formula(
    "first-minus-solo",
    "R[0][0] - solo[0]",
    "ours: the part of forward that is no transfer, as nothing came before",
)
def first_task_noise(R: ScoreMatrix, solo: Sequence[Cell]) -> Cell:
    """The difference of the first task to the same task learned alone: nothing came before, so the seed makes it."""
    return _difference(R[0][0], solo[0]) if R else None


@_formula(
    "solo-minus-alone",
    "(1/T) sum_j (solo[j] - alone[j])",
    "ours: what the method brings by itself, without other tasks",
)
def own_gain(solo: Sequence[Cell], alone: Sequence[Cell]) -> Cell:
    """The mean difference of a task learned alone to the baseline: what the method brings by itself."""
    return _mean(_differences(solo, alone))


@_formula("diagonal-minus-alone", "(1/T) sum_j (R[j][j] - alone[j])", f"{_SUN} (a task when it is learned beside stSC)")
def learning_gain(R: ScoreMatrix, alone: Sequence[Cell]) -> Cell:
    """The mean difference of a task right after it was learned to the single-task baseline."""
    return _mean(_differences(_diagonal(R), alone))


@_formula("last-minus-alone", "(1/T) sum_j (R[T-1][j] - alone[j])", f"{_SUN} (a task after all beside stSC)")
def gain_over_single_task(R: ScoreMatrix, alone: Sequence[Cell]) -> Cell:
    """The mean difference of a task after all were learned to the single-task baseline."""
    return _mean(_differences(R[-1], alone)) if R else None


@_formula("mean-upper-triangle", "(2/(T(T-1))) sum_{i<j} R[i][j]", f"{_DIAZ} (FWT)")
def average_before_learning(R: ScoreMatrix) -> Cell:
    """The mean score of tasks that were not learned yet: the cells above the diagonal."""
    return _mean([cell for i, row in enumerate(R) for cell in row[i + 1 :]])


@_formula(
    "mean-ari-last-with-learned",
    "(1/(T-1)) sum_{j<T-1} A[T-1][j]",
    f"{_HUBERT} (the index; its use here is ours)",
)
def partition_agreement(agreement: ScoreMatrix) -> Cell:
    """The mean ARI of a task's partition at the end with the one it was learned with, without the last task.

    At 1 the partitions are the same. It needs no true labels.
    """
    return _mean(agreement[-1][:-1]) if agreement else None


@_formula(
    "mean-of-means-so-far",
    "(1/T) sum_i (1/(i+1)) sum_{j<=i} R[i][j]",
    f"{_REBUFFI} (average incremental accuracy)",
)
def area_under_curve(R: ScoreMatrix) -> Cell:
    """The mean over the steps of the average over the tasks learned by then."""
    return _mean([_mean(row[: i + 1]) for i, row in enumerate(R)])


def summarise(R: ScoreMatrix, **given: Any) -> dict[str, dict[str, Any]]:
    """Every figure of a complete R, as name -> value and formula id; the value is None where an input is missing.

    `given` has the other inputs, by the names that `Formula.compute` has for them.
    """
    return {f.name: {"value": f.compute(R, **given), "formula": f.id} for f in FORMULAS}


def _diagonal(R: ScoreMatrix) -> list[Cell]:
    return [row[i] for i, row in enumerate(R)]


def _mean(cells: Sequence[Cell]) -> Cell:
    """The mean; None where a cell is missing, as a mean over others would be another figure, and where it overflows."""
    values = [cell for cell in cells if cell is not None]
    if not values or len(values) < len(cells):
        return None
    try:
        mean = fsum(values) / len(values)
    except (OverflowError, ValueError):  # a metric may score as high as a number gets; ValueError is of inf - inf
        return None
    return mean if isfinite(mean) else None


def _differences(a: Sequence[Cell], b: Sequence[Cell]) -> list[Cell]:
    return [_difference(x, y) for x, y in zip(a, b, strict=True)]


def _difference(a: Cell, b: Cell) -> Cell:
    return None if a is None or b is None else a - b

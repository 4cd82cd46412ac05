"""What happened when a task arrived. Light, so that whoever watches a run need not import what carries it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lcbench.task import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What happened when a task arrived. `scores[metric][j]` is for the j-th task of the order, None if not scored.

    `agreement[j]` is the ARI of that task's labels with those when it was learned, None if it has none of them.
    """

    learned: int
    task: str
    learn_seconds: float
    predict_seconds: float
    metric_seconds: float
    state_bytes: int
    scores: Mapping[str, list[float | None]]
    labels: Mapping[str, IntArray]
    agreement: list[float | None]
    objective_trace: list[float | None] | None

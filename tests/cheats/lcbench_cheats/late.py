"""A module that is imported late, with constants, classes and a function with a long docstring."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

import numpy as np

logger = logging.getLogger(__name__)
WEIGHTS = tuple(i / 7 for i in range(20))
NAMES = {f"name-{i}": i for i in range(30)}


@dataclass
class Setting:
    """One of many small classes."""

    name: str = "a"
    values: list[float] = field(default_factory=list)


def halves(task):
    """The first half of the samples, and the rest."""
    return (np.arange(task.n_samples) >= task.n_samples // 2).astype(np.int64)


halves.__doc__ += " It goes on, as the text of a thorough author does." * 60

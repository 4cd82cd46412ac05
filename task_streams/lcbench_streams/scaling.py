"""Scales the features of a task to 0 to 1, by the values of that task alone."""

from __future__ import annotations

import numpy as np

from lcbench import FloatArray


def min_max(X: FloatArray) -> FloatArray:
    """Each column less its least value, over its range; 0 where all values of it are alike."""
    least, span = X.min(axis=0), np.ptp(X, axis=0)
    scaled: FloatArray = np.divide(X - least, span, out=np.zeros_like(X), where=span > 0)
    return scaled

from __future__ import annotations

import numpy as np

from lcbench_multitask.partitions import blocks_of, one_hot


def test_one_hot_has_a_row_per_sample():
    np.testing.assert_array_equal(one_hot(np.array([1, 0]), 3), [[0, 1, 0], [1, 0, 0]])


def test_blocks_follow_each_other():
    assert blocks_of([3, 1, 4]) == (slice(0, 3), slice(3, 4), slice(4, 8))

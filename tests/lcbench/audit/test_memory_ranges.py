from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench.audit.memory_ranges import TaskMap, covered, range_of, task_ranges
from lcbench.contract.task import Task

byte_bounds = getattr(np.lib, "array_utils", np).byte_bounds  # NumPy 2 moved it


def test_the_size_of_overlapping_ranges_is_that_of_the_set_of_their_addresses():
    generator = np.random.default_rng(0)
    for _ in range(200):
        starts = generator.integers(0, 60, size=generator.integers(0, 8))
        ranges = [(int(s), int(s + generator.integers(0, 15))) for s in starts]
        assert covered(ranges) == len({address for start, end in ranges for address in range(start, end)})


SLICES = [
    np.s_[:], np.s_[3:5], np.s_[::-1], np.s_[::2, ::-3], np.s_[:, 4], np.s_[2], np.s_[5:5], np.s_[-1:, -1:],
    np.s_[None, 3, ::-1],
]  # fmt: skip


@pytest.mark.parametrize("part", SLICES, ids=str)
def test_the_range_of_a_view_is_the_one_numpy_gives(part):
    view = np.zeros((9, 11))[part]
    assert range_of(view) == (byte_bounds(view) if view.size else None)


def test_a_task_is_found_by_arrays_that_share_memory_with_it_and_by_no_others():
    dense = [Task(f"dense-{i}", np.random.default_rng(i).random((8, 6)), 2) for i in range(3)]
    rows = [Task(f"rows-{i}", sparse.random_array((8, 6), density=0.5, rng=i, format="csr"), 2) for i in range(2)]
    tasks = [*dense, *rows]
    found = TaskMap(tasks)
    views = [
        (dense[1].X[2:3], {1}), (dense[1].X.T[::-1], {1}), (dense[2].X.base, {2}), (rows[0].X.data[1:], {3}),
        (rows[1].X.indices, {4}), (rows[1].X.indptr[:1], {4}), (dense[0].X.copy(), set()), (rows[0].X.data * 1, set()),
    ]  # fmt: skip
    for view, expected in views:
        assert found.touched([range_of(view)]) == expected
    assert found.touched([part for task in tasks for part in task_ranges(task)]) == {0, 1, 2, 3, 4}
    assert found.touched([(0, 2**62)]) == {0, 1, 2, 3, 4}

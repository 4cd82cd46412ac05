from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench.contract.task import LabelledTask
from lcbench.data.similarity import similarity

# Rows scaled to length 1: (1,0), (0,1) and, in the other task, (1,0), (0.6,0.8), (0,1).
FIRST = np.array([[2.0, 0.0], [0.0, 5.0]])
SECOND = np.array([[1.0, 0.0], [3.0, 4.0], [0.0, 0.5]])


def tasks(kind, first_y=("a", "b"), second_y=("a", "a", "c"), clusters=None):
    return [
        LabelledTask.from_arrays("one", kind(FIRST), first_y, clusters=clusters),
        LabelledTask.from_arrays("two", kind(SECOND), second_y, clusters=clusters),
    ]


@pytest.fixture(params=[np.array, sparse.csr_array], ids=["dense", "sparse"])
def kind(request):
    return request.param


def test_tasks_are_compared_by_the_cosine_of_their_mean_samples(kind):
    # means (0.5, 0.5) and (1.6, 1.8) / 3
    expected = (0.5 * 1.6 + 0.5 * 1.8) / (np.sqrt(0.5) * np.sqrt(1.6**2 + 1.8**2))
    np.testing.assert_allclose(similarity(tasks(kind)).tasks, [[1, expected], [expected, 1]])


def test_classes_are_compared_with_those_of_the_same_name_and_of_other_names(kind):
    found = similarity(tasks(kind))
    # class a: (1, 0) and (0.8, 0.4); the other pairs are a-c, b-a and b-c.
    length = np.sqrt(0.8**2 + 0.4**2)
    assert found.same_class == pytest.approx(0.8 / length)
    assert found.other_class == pytest.approx((0.0 + 0.4 / length + 1.0) / 3)


def test_without_pairs_of_classes_to_compare_the_mean_is_none(kind):
    found = similarity(tasks(kind, ("a", "b"), ("c", "c", "d")))
    assert found.same_class is None
    found = similarity(tasks(kind, ("a", "a"), ("a", "a", "a")))
    assert found.other_class is None


def test_tasks_without_labels_are_compared_as_tasks_only(kind):
    found = similarity(tasks(kind, None, None, clusters=1))
    np.testing.assert_allclose(found.tasks, similarity(tasks(kind)).tasks)
    assert (found.same_class, found.other_class) == (None, None)


def test_a_task_of_zeros_has_cosine_zero_with_every_task(kind):
    zeros = LabelledTask.from_arrays("zeros", kind(np.zeros((2, 2))), [0, 1])
    found = similarity([tasks(kind)[0], zeros])
    np.testing.assert_allclose(found.tasks, [[1, 0], [0, 0]])

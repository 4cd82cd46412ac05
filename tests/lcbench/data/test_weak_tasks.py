from __future__ import annotations

import numpy as np
import pytest

from lcbench.contract.task import LabelledTask
from lcbench.data.weak_tasks import weaknesses

X60 = np.random.default_rng(0).random((60, 12)) + 0.1
ZEROS = np.eye(60, 12)  # the last 48 rows are zeros
SORTED, ONE = "the rows of task 'a' are sorted by class", "task 'a' has one cluster"


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        (X60, np.arange(60) % 3, None),
        (ZEROS, np.arange(60) % 3, "48 of the 60 rows of task 'a' are all zero"),
        (X60, np.repeat([0, 1, 2], 20), SORTED),
        (X60, np.repeat([2, 0, 1], 20), SORTED),
        (X60, np.r_[1, np.repeat([0, 1, 2], 20)[:59]], None),
        (X60[:9], np.arange(9) >= 4, None),
        (X60[:10], np.arange(10) >= 5, SORTED),
        (X60, np.zeros(60, dtype=int), ONE),
    ],
    ids=["fine", "zeros", "sorted", "in blocks", "almost sorted", "by chance", "not by chance", "one cluster"],
)
def test_a_task_that_proves_little_is_told(X, y, said):
    found = list(weaknesses([LabelledTask.from_arrays("a", X, y)]))
    assert [sentence.startswith(said) for sentence in found] == ([] if said is None else [True])


def test_a_weakness_of_many_tasks_is_one_sentence_that_names_some():
    tasks = [LabelledTask.from_arrays(str(i), ZEROS, np.arange(60) % 3) for i in range(9)]
    tasks.append(LabelledTask.from_arrays("fine", X60, np.arange(60) % 3))
    (sentence,) = weaknesses(tasks)
    assert sentence.startswith("432 of the 540 rows of tasks '0', '1', '2', '3', '4' and 4 more are all zero;")

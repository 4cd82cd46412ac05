"""An assignment has all that a process needs and no label; what is answered is kept as it is, or refused.

Steps with facts that are none are among the forged messages of `test_isolated_run.py`.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import plan_runs

from lcbench.running.assignment import checked_measure
from lcbench.running.wire import WireError

MEASURE = {
    "task_bytes": [10, 20], "clusters": [3, 3], "state_bytes_before": 5, "held_bytes": [1, 2], "reachable": [0, 1],
    "first_reachable": {"step": 2, "task": "a"}, "complete": True, "seconds": 0.5,
}  # fmt: skip
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(["step", "task", "x"]), x),
    max_leaves=6,
)


@given(st.sampled_from(sorted(MEASURE)), ANY)
def test_a_measure_is_kept_as_it_is_or_refused(name, value):
    try:
        found = checked_measure({**MEASURE, name: value}, 2)
    except WireError:
        return
    assert set(found) == set(MEASURE)
    for key in ("task_bytes", "clusters", "held_bytes", "reachable"):
        assert all(type(number) is int for number in found[key])


@pytest.fixture
def assigned(module_stream):
    (planned,) = plan_runs("kmeans", module_stream, order=["task-2", "task-1"], baselines=False)
    return planned.assignment()


def test_an_assignment_has_the_places_and_sizes_of_its_tasks_and_no_labels(assigned, module_stream):
    assert (assigned.order, assigned.places, assigned.sizes) == (("task-2", "task-1"), (1, 0), (60, 60, 60))
    sent = pickle.dumps(assigned)
    assert len(sent) < 2000
    for labelled in module_stream.tasks():
        assert labelled.y.tobytes() not in sent


def test_labels_are_those_of_the_tasks_asked_for_or_are_refused(assigned):
    sent = np.arange(120, dtype="<i8").tobytes()
    first, second = assigned.labels(sent, [0, 1])
    assert (first.tolist(), second.tolist()) == (list(range(60)), list(range(60, 120)))
    for wrong in (sent[:-1], sent[:-8], sent + bytes(8), b""):
        with pytest.raises(WireError, match="another number of labels"):
            assigned.labels(wrong, [0, 1])

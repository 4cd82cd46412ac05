from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench.contract.specs import StreamCard
from lcbench.contract.stream import ArrayStream, TaskStream, check_tasks, content_digest
from lcbench.contract.task import LabelledTask, Task
from lcbench.errors import InvalidTaskError

X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
Y = [0, 1, 0]


def labelled(name="a", X=X, y=Y):
    return LabelledTask.from_arrays(name, X, y)


def test_a_stream_of_arrays_keeps_the_tasks_in_the_order_given():
    stream = TaskStream.from_arrays("mine", {"b": (X, Y), "a": (2 * X, ["x", "y", "z"])})
    assert stream.name == "mine"
    assert [(t.name, t.task.n_clusters) for t in stream.tasks()] == [("b", 2), ("a", 3)]
    np.testing.assert_array_equal(stream.tasks()[1].task.X, 2 * X)


def test_a_stream_carries_the_card_it_was_given():
    card = StreamCard(what="two pages")
    assert ArrayStream("mine", [labelled()], card).card is card


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([], "Stream 'mine' has no tasks"),
        ([labelled("a"), labelled("b"), labelled("a")], "Stream 'mine' has two tasks named 'a'"),
        ([labelled("a"), labelled("b", X[:, :1])], "Stream 'mine': task 'b' has 1 features but 'a' has 2"),
    ],
)
def test_no_tasks_or_equal_names_or_different_features_are_refused(tasks, message):
    with pytest.raises(InvalidTaskError, match=message):
        ArrayStream("mine", tasks)


def test_dense_and_sparse_tasks_of_different_sizes_can_be_one_stream():
    tasks = [labelled("a"), labelled("b", sparse.csr_array(X[:2]), [0, 1])]
    assert check_tasks("mine", tasks) == tuple(tasks)


def test_a_stream_class_without_a_tasks_method_cannot_be_made():
    class Silent(TaskStream):
        name = "silent"

    with pytest.raises(TypeError, match="tasks"):
        Silent()


def test_the_digest_is_the_same_for_the_same_content():
    again = LabelledTask.from_arrays("a", np.asfortranarray(X.copy()), ["p", "q", "p"])
    assert content_digest([again]) == content_digest([labelled()])


def test_the_digest_is_the_same_for_a_sparse_matrix_stored_in_another_way():
    stored_zeros = sparse.coo_array((X.ravel(), np.indices(X.shape).reshape(2, -1)), shape=X.shape)
    assert content_digest([labelled(X=stored_zeros)]) == content_digest([labelled(X=sparse.csr_array(X))])


def test_the_digest_changes_with_every_part_of_the_content():
    nudged = X.copy()
    nudged[2, 0] = np.nextafter(3.0, 4.0)
    streams = [
        [labelled()],
        [labelled("b")],
        [labelled(X=nudged)],
        [labelled(X=X[::-1])],
        [labelled(y=[0, 1, 1])],
        [LabelledTask(Task("a", X, 3), np.array(Y))],
        [labelled(X=sparse.csr_array(X))],
        [labelled(X=sparse.csr_array(nudged))],
        [labelled(X=sparse.csr_array(X[:, ::-1]))],
        [labelled("a"), labelled("b")],
        [labelled("b"), labelled("a")],
    ]
    assert len({content_digest(tasks) for tasks in streams}) == len(streams)

from __future__ import annotations

import numpy as np
import pytest
from making import make_stream
from scipy import sparse

from lcbench.contract.specs import StreamCard
from lcbench.contract.stream import ArrayStream, TaskStream, check_tasks, content_digest
from lcbench.contract.task import LabelledTask, Task
from lcbench.errors import InvalidTaskError

X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
Y = [0, 1, 0]


def labelled(name="a", X=X, y=Y, names=None, clusters=None):
    return LabelledTask.from_arrays(name, X, y, names, clusters=clusters)


def wide(name, names):
    return labelled(name, np.eye(3, 6 if names is None else len(names)), names=names and tuple(names))


def test_a_stream_of_arrays_keeps_the_tasks_in_the_order_given():
    stream = TaskStream.from_arrays("mine", {"b": (X, Y), "a": (2 * X, ["x", "y", "z"])})
    assert stream.name == "mine"
    assert [(t.name, t.task.n_clusters) for t in stream.tasks()] == [("b", 2), ("a", 3)]
    np.testing.assert_array_equal(stream.tasks()[1].task.X, 2 * X)


@pytest.mark.parametrize(("clusters", "found"), [(3, [3, 3]), ({"one": 1, "two": 2}, [1, 2])])
def test_a_stream_of_arrays_takes_clusters_for_all_tasks_or_by_name(clusters, found):
    stream = TaskStream.from_arrays("mine", {"one": (X, None), "two": (X, None)}, clusters=clusters)
    assert [t.task.n_clusters for t in stream.tasks()] == found


@pytest.mark.parametrize(("clusters", "said"), [({"one": 2}, "Task 'two' has no labels"), ({"tow": 3}, "'tow'")])
def test_a_task_without_labels_and_clusters_and_clusters_of_an_unknown_task_are_refused(clusters, said):
    with pytest.raises(InvalidTaskError, match=said):
        TaskStream.from_arrays("mine", {"one": (X, None), "two": (X, None)}, clusters=clusters)


def test_a_stream_carries_the_card_it_was_given():
    card = StreamCard(what="two pages")
    assert ArrayStream("mine", [labelled()], card).card is card


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([], "Stream 'mine' has no tasks"),
        ([labelled("a"), labelled("b"), labelled("a")], "Stream 'mine' has two tasks named 'a'"),
        ([labelled("a"), labelled("b", X[:, :1])], "Stream 'mine': task 'b' has 1 features but 'a' has 2"),
        ([wide("a", "abcdef"), wide("b", "abcdeg")], r"'b' lacks 'f'; 'a' lacks 'g'\."),
        ([wide("a", "abcdef"), wide("b", "abcde")], r"task 'b' has 5 features but 'a' has 6; .* 'b' lacks 'f'\."),
        ([wide("a", "abcdef"), wide("b", "abcdfe")], "another order: number 5 is 'e' in one and 'f' in the other"),
        ([wide("a", "abcdef"), wide("b", "uvwxyz")], "lacks 'a', 'b', 'c', 'd', 'e' and 1 more; 'a' lacks 'u', 'v'"),
        ([wide("a", None), wide("b", "abcdef"), wide("c", "fedcba")], "another order"),
    ],
)
def test_no_tasks_or_equal_names_or_different_features_are_refused_with_the_difference(tasks, message):
    with pytest.raises(InvalidTaskError, match=message):
        ArrayStream("mine", tasks)


@pytest.mark.parametrize(
    "tasks",
    [
        [labelled("a"), labelled("b", sparse.csr_array(X[:2]), [0, 1])],
        [wide("a", "abcdef"), wide("b", None), wide("c", "abcdef")],
    ],
    ids=["dense and sparse, of other sizes", "with and without names"],
)
def test_tasks_of_many_kinds_can_be_one_stream(tasks):
    assert check_tasks("mine", tasks) == tuple(tasks)


def test_a_stream_class_without_a_tasks_method_cannot_be_made():
    class Silent(TaskStream):
        name = "silent"

    with pytest.raises(TypeError, match="tasks"):
        Silent()


def test_the_digest_is_the_same_for_the_same_content_stored_in_another_way():
    again = labelled(X=np.asfortranarray(X.copy()), y=["p", "q", "p"])
    assert content_digest([again]) == content_digest([labelled()])
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
        [labelled(y=None, clusters=2)],
        [LabelledTask(Task("a", X, 3), np.array(Y))],
        [labelled(X=sparse.csr_array(X))],
        [labelled(X=sparse.csr_array(nudged))],
        [labelled(X=sparse.csr_array(X[:, ::-1]))],
        [labelled("a"), labelled("b")],
        [labelled("b"), labelled("a")],
    ]
    assert len({content_digest(tasks) for tasks in streams}) == len(streams)


def test_a_notebook_shows_the_card_of_a_stream_and_the_sizes_of_its_tasks():
    stream = make_stream("mine", tasks=("north", "south"))
    stream.card = StreamCard(what="two <places>", source="here", notes=("Mind the gap.",))
    html = stream._repr_html_()
    assert "two &lt;places&gt;" in html
    assert "<p>Mind the gap.</p>" in html
    assert "<td>north</td>" in html
    many = make_stream("many", tasks=23, n=6)._repr_html_()
    assert "and 3 tasks more" in many


def test_a_card_is_shown_without_making_the_tasks():
    class Never(TaskStream):
        name = "never"
        card = StreamCard(what="nothing yet")

        def tasks(self):
            raise AssertionError

    assert "nothing yet" in Never()._repr_html_()

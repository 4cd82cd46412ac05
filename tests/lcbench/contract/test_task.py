from __future__ import annotations

import gc
import pickle
from types import FunctionType, ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from making import make_task
from scipy import sparse

from lcbench.contract.task import LabelledTask, Task, parts_of
from lcbench.errors import InvalidTaskError

COUNTS = arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.integers(0, 2))
CONTAINERS = pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])


def reachable(root):
    """Everything that can be reached from an object, through arrays to their bases too; classes and code aside."""
    seen, queue = {}, [root]
    while queue:
        item = queue.pop()
        if id(item) in seen or isinstance(item, (type, ModuleType, FunctionType)):
            continue
        seen[id(item)] = item
        queue.extend(gc.get_referents(item))
        if isinstance(item, np.ndarray):
            queue.extend([item.base, *(item.flat if item.dtype == object else ())])
    return list(seen.values())


@pytest.mark.parametrize("container", [np.asarray, np.ndarray.tolist, sparse.csr_array, sparse.coo_array])
def test_data_are_kept_as_floats_whatever_they_came_in(container):
    X = np.array([[0, 2], [1, 0], [3, 3]])
    task = Task("t", container(X), 2)
    dense = task.X.toarray() if sparse.issparse(task.X) else task.X
    assert task.X.dtype == np.float64
    np.testing.assert_array_equal(dense, X)
    assert (task.n_samples, task.n_features) == (3, 2)


@CONTAINERS
def test_no_part_of_the_data_can_be_written_to_and_the_owners_stay_writable(container):
    X = container(np.eye(3))
    for part in parts_of(Task("t", X, 2).X):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 1
    assert all(part.flags.writeable for part in parts_of(X))


@pytest.mark.parametrize("field", ["name", "X", "n_clusters", "y"])
def test_a_task_is_frozen(field):
    with pytest.raises((AttributeError, TypeError)):
        setattr(Task("t", np.eye(3), 2), field, 1)


@settings(deadline=None)
@given(COUNTS)
def test_a_sparse_task_is_canonical_and_equal_to_what_was_given(X):
    rows, columns = np.nonzero(np.ones_like(X))
    shuffled = np.random.default_rng(0).permutation(len(rows))
    # Every cell is stored in two halves, in no order, zeros among them.
    halves = [np.concatenate([part[shuffled]] * 2) for part in (X[rows, columns] / 2, rows, columns)]
    task = Task("t", sparse.coo_array((halves[0], tuple(halves[1:])), shape=X.shape), 1)
    fresh = sparse.csr_array((task.X.data, task.X.indices, task.X.indptr), shape=task.X.shape)
    assert fresh.has_canonical_format
    assert task.X.nnz == np.count_nonzero(X)
    np.testing.assert_array_equal(task.X.toarray(), X)


def test_a_sparse_matrix_with_64_bit_indices_becomes_one_that_scikit_learn_takes():
    parts = (np.ones(2), np.array([1, 0], dtype=np.int64), np.array([0, 1, 2], dtype=np.int64))
    task = Task("t", sparse.csr_array(parts, shape=(2, 2)), 1)
    assert (task.X.indices.dtype, task.X.indptr.dtype) == (np.int32, np.int32)
    np.testing.assert_array_equal(task.X.toarray(), [[0, 1], [1, 0]])


def test_the_callers_own_sparse_matrix_is_not_changed():
    given = sparse.csr_array((np.array([1.0, 2.0, 0.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    task = Task("t", given, 1)
    assert (given.nnz, task.X.nnz) == (3, 1)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, np.nan]], "NaN or infinite"),
        (sparse.csr_array([[0.0, -np.inf]]), "NaN or infinite"),
        (np.empty((0, 3)), "is empty: it has 0 samples and 3 features"),
        (np.empty((3, 0)), "is empty: it has 3 samples and 0 features"),
        (sparse.csr_array((0, 3)), "is empty"),
        ([1.0, 2.0], "one sample per row, not 1 dimension"),
        (np.ones((2, 2, 2)), "one sample per row, not 3 dimension"),
        (sparse.coo_array(np.ones(3)), "one sample per row, not 1 dimension"),
        ([["a", "b"]], "values that are not numbers"),
        ([[1.0], [1.0, 2.0]], "rows of different lengths"),
        ({"a": 1}, "values that are not numbers"),
        ([[1 + 1j]], "holds complex numbers"),
    ],
)
def test_data_that_cannot_be_a_task_are_refused_with_the_tasks_name(X, message):
    with pytest.raises(InvalidTaskError, match=rf"^Task 'texas' .*{message}"):
        Task("texas", X, 1)


@pytest.mark.parametrize(
    ("k", "names", "message"),
    [
        *[(k, None, "asks for .* whole number of at least 1") for k in (0, -1, 2.5, True, "2")],
        (4, None, "asks for 4 clusters but has 3 samples only"),
        (2, ("a",), "names 1 features but has 3"),
        (2, ("a", "b", "a"), "names the feature 'a' twice"),
    ],
)
def test_an_impossible_number_of_clusters_or_names_that_do_not_fit_are_refused(k, names, message):
    with pytest.raises(InvalidTaskError, match=f"Task 'texas' {message}"):
        Task("texas", np.eye(3), k, names)


@pytest.mark.parametrize("name", [2019, "", None, b"a"])
def test_a_task_has_a_text_as_its_name(name):
    with pytest.raises(InvalidTaskError, match=r"^A task is called .*: a name is a text, as in '2020'\.$"):
        Task(name, np.eye(3), 1)


def test_as_many_clusters_as_samples_and_as_many_names_as_features_are_taken():
    task = Task("texas", np.eye(3), 3, ("a", "b", "c"))
    assert (task.n_clusters, task.feature_names) == (3, ("a", "b", "c"))


@settings(deadline=None)
@given(COUNTS)
def test_zero_rows_are_counted_alike_in_dense_and_sparse_data(X):
    expected = sum(1 for row in X if not row.any())
    assert Task("t", X, 1).zero_rows == Task("t", sparse.csr_array(X), 1).zero_rows == expected


@CONTAINERS
@pytest.mark.parametrize("y", [["b", "a", "b"], None], ids=["labelled", "unlabelled"])
def test_tasks_pickle(container, y):
    labelled = LabelledTask.from_arrays("t", container(np.eye(3)), y, ("x", "y", "z"), clusters=2)
    copy = pickle.loads(pickle.dumps(labelled))
    assert (copy.name, copy.task.n_clusters, copy.task.feature_names) == ("t", 2, ("x", "y", "z"))
    assert (copy.y is None) if y is None else ([copy.classes[code] for code in copy.y] == y)
    np.testing.assert_array_equal(copy.task.X @ np.eye(3), np.eye(3))
    with pytest.raises(ValueError, match="WRITEABLE"):
        parts_of(copy.task.X)[0].flags.writeable = True


def test_classes_become_codes_that_cannot_be_written_to():
    labelled = LabelledTask.from_arrays("t", np.eye(4), ["student", "course", "student", "faculty"])
    assert (labelled.y.tolist(), labelled.classes) == ([2, 0, 2, 1], ("course", "faculty", "student"))
    assert labelled.task.n_clusters == 3
    with pytest.raises(ValueError, match="read-only"):
        labelled.y[0] = 0


def test_clusters_may_be_another_number_than_there_are_classes_and_codes_may_have_any_names():
    labelled = LabelledTask.from_arrays("t", np.eye(3), ["b", "a", "b"], clusters=3)
    assert (labelled.task.n_clusters, labelled.classes) == (3, ("a", "b"))
    assert LabelledTask(Task("a", np.eye(2), 2), np.array([0, 1]), ("rot", "blau")).classes == ("rot", "blau")


def test_a_task_without_labels_has_no_classes_and_needs_a_number_of_clusters():
    labelled = LabelledTask.from_arrays("t", np.eye(3), None, clusters=2)
    assert (labelled.y, labelled.classes, labelled.task.n_clusters) == (None, (), 2)
    assert LabelledTask(Task("a", np.eye(2), 2), None, ("red", "blue")).classes == ()
    with pytest.raises(InvalidTaskError, match="Task 't' has no labels: say how many clusters to look for"):
        LabelledTask.from_arrays("t", np.eye(3), None)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        *[(y, "3 samples but labels of shape") for y in ([0, 1], [[0], [1], [0]], [0, 1, 0, 1], 0)],
        ([0.0, np.nan, 1.0], "classes that are missing"),
        (["x", None, "y"], "classes that are missing"),
        (np.array(["x", float("nan"), "y"], dtype=object), "classes that are missing"),
    ],
)
def test_labels_that_are_missing_or_do_not_fit_the_samples_are_refused(y, message):
    with pytest.raises(InvalidTaskError, match=f"Task 'texas' has .*{message}"):
        LabelledTask.from_arrays("texas", np.eye(3), y)


@CONTAINERS
def test_labels_cannot_be_reached_from_a_task(container):
    given = np.array([1, 0, 1])
    labelled = LabelledTask.from_arrays("t", container(np.eye(3)), given)
    from_labelled = {id(item) for item in reachable(labelled)}
    from_task = {id(item) for item in reachable(labelled.task)}
    assert id(labelled.y) in from_labelled, "the walk finds labels where there are some"
    assert id(labelled.task.X) in from_task, "the walk finds the data"
    assert not {id(labelled.y), id(given), id(labelled)} & from_task


@CONTAINERS
def test_a_task_shares_no_memory_with_the_table_it_was_cut_from(container):
    table = np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 1.0]])
    X = container(table[:, :-1])
    task = LabelledTask.from_arrays("t", X, table[:, -1]).task
    held = task.X.data if sparse.issparse(task.X) else task.X
    while held is not None:
        assert not np.shares_memory(held, table)
        assert held.size <= 4
        held = held.base if isinstance(held, np.ndarray) else None


def test_data_mapped_read_only_from_a_file_are_not_copied(tmp_path):
    np.save(tmp_path / "X.npy", np.arange(12.0).reshape(4, 3))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert np.shares_memory(Task("t", mapped, 2).X, mapped)
    csr = sparse.csr_array(np.eye(4))
    for part in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{part}.npy", getattr(csr, part))
    parts = [np.load(tmp_path / f"{part}.npy", mmap_mode="r") for part in ("data", "indices", "indptr")]
    X = sparse.csr_array(tuple(parts), shape=(4, 4), copy=False)
    X.has_canonical_format = True
    assert np.shares_memory(Task("t", X, 2).X.data, parts[0])


def test_a_column_of_labels_in_the_same_mapped_file_cannot_be_reached(tmp_path):
    np.save(tmp_path / "all.npy", np.arange(40.0).reshape(8, 5))
    mapped = np.load(tmp_path / "all.npy", mmap_mode="r")
    task = LabelledTask.from_arrays("t", mapped[:, :-1], mapped[:, -1] > 10).task
    reached = task.X
    while isinstance(reached, np.ndarray):
        assert reached.nbytes == task.X.nbytes
        reached = reached.base
    whole = Task("w", mapped, 2).X
    assert any(isinstance(owner, np.memmap) for owner in (whole, whole.base))


def test_a_task_is_shown_in_one_line_without_its_data():
    task = LabelledTask.from_arrays("t", sparse.csr_array(np.eye(30)), np.arange(30) % 3)
    assert repr(task) == "LabelledTask(Task('t', 30 x 30 sparse, 3 clusters), 3 classes)"


def test_a_notebook_shows_the_size_of_a_task_and_its_classes():
    labelled = make_task("north", thin=True)
    assert f"12 (sparse, {labelled.task.X.nnz:,} entries)" in labelled._repr_html_()
    assert "0 20, 1 20, 2 20" in labelled._repr_html_()
    assert "classes" not in labelled.task._repr_html_()
    assert "no labels" in make_task(labelled=False)._repr_html_()

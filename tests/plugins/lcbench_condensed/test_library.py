from __future__ import annotations

import pickle

import numpy as np
import pytest
from making import make_task
from scipy import sparse

from lcbench_condensed.library import Group, Library, condensed, matched_classes
from lcbench_condensed.rows import Rows
from lcbench_condensed.shifted import Shifted


def group(m: int, d: int = 9, width: int = 2, seed: int = 0, tasks: int = 1) -> Group:
    generator = np.random.default_rng(seed)
    prototypes = Shifted.plain(generator.normal(size=(m, d)))
    return Group(prototypes, generator.integers(1, 9, m).astype(float), np.arange(m) % width, tasks)


def written(rows: Shifted) -> np.ndarray:
    """All rows, written out."""
    return np.vstack(list(rows.blocks()))


def test_directions_are_the_weighted_sums_of_a_class_at_length_1():
    found = Group(Shifted.plain(np.array([[1.0, 0], [0, 1], [3, 4]])), np.array([3.0, 4, 2]), np.array([0, 0, 1]))
    np.testing.assert_allclose(found.directions(), [[0.6, 0.8], [0.6, 0.8]])


@pytest.mark.parametrize("d", [3, 40])
def test_merging_keeps_the_weight_and_the_weighted_mean_of_every_class(d):
    before = group(30, d=d).with_task(group(25, d=d, seed=1))
    after = before.merged(7, seed=0)
    assert (before.tasks, after.tasks) == (2, 2)
    for c in (0, 1):
        mine, theirs = before.classes == c, after.classes == c
        assert theirs.sum() == 7
        assert after.weights[theirs].sum() == pytest.approx(before.weights[mine].sum())
        np.testing.assert_allclose(
            after.weights[theirs] @ after.prototypes.matrix[theirs],
            before.weights[mine] @ before.prototypes.matrix[mine],
        )


def test_merging_leaves_small_classes_as_they_are():
    before = group(8)
    after = before.merged(4, seed=0)
    assert np.sort(after.prototypes.matrix, axis=0).tolist() == np.sort(before.prototypes.matrix, axis=0).tolist()


@pytest.mark.parametrize("as_sparse", [False, True])
def test_a_library_gives_its_groups_back(as_sparse):
    groups = [group(6, tasks=3), group(5, seed=1)]
    found = Library.of(groups, features=9, room=20).groups(as_sparse=as_sparse)
    assert [g.tasks for g in found] == [3, 1]
    for before, after in zip(groups, found, strict=True):
        assert sparse.issparse(after.prototypes.matrix) == as_sparse
        np.testing.assert_allclose(written(after.prototypes), before.prototypes.matrix, rtol=1e-6)
        assert (after.weights == before.weights).all()
        assert (after.classes == before.classes).all()


@pytest.mark.parametrize("as_sparse", [False, True])
def test_of_a_prototype_the_largest_entries_are_kept(as_sparse):
    given = Group(Shifted.plain(np.array([[1.0, -5, 0, 3], [2, 0, 4, -1]])), np.ones(2), np.array([0, 1]))
    (found,) = Library.of([given], features=2, room=4).groups(as_sparse=as_sparse)
    assert written(found.prototypes).tolist() == [[0, -5, 0, 3], [2, 0, 4, 0]]


def test_the_largest_entries_of_a_shifted_prototype_are_those_of_the_prototype():
    generator = np.random.default_rng(0)
    S, c, m = (
        sparse.random_array((5, 30), density=0.3, rng=generator).tocsr(),
        generator.random(5),
        generator.random(30),
    )
    P = S.toarray() - np.outer(c, m)
    (found,) = Library.of([Group(Shifted(S, c, m), np.ones(5), np.arange(5))], features=8, room=5).groups(
        as_sparse=True
    )
    least = np.sort(np.abs(P), axis=1)[:, -8:-7]
    np.testing.assert_allclose(written(found.prototypes), np.where(np.abs(P) >= least, P, 0), rtol=1e-5)


@pytest.mark.parametrize("features", [5, 9])
def test_its_size_does_not_depend_on_what_is_in_it(features):
    sizes = {
        len(pickle.dumps(Library.of(groups, features=features, room=20)))
        for groups in ([group(1, width=1)], [group(20)], [group(10), group(10, seed=1)])
    }
    assert max(sizes) - min(sizes) < 16


def test_prototypes_are_means_of_parts_of_clusters():
    labelled = make_task(n=60, k=3, spread=0.8)
    rows, y = Rows(labelled.task.X, 0.5, centred=True), labelled.y
    F = np.eye(3)[y] + 0.1 * np.random.default_rng(0).normal(size=(60, 3))
    found = condensed(rows, F, y, np.array([4, 1, 2]), budget=5, smallest=3, seed=0)
    assert set(found.classes) == {4, 1, 2}
    assert found.weights.sum() == 60
    assert np.bincount(found.classes).max() <= 5
    Z = rows.z.matrix
    for c, name in enumerate((4, 1, 2)):
        mine = found.classes == name
        np.testing.assert_allclose(
            found.weights[mine] @ found.prototypes.matrix[mine], Z[y == c].sum(axis=0), atol=1e-9
        )
    tiny = condensed(rows, F, np.where(np.arange(60) < 5, 0, 1), np.arange(2), budget=5, smallest=3, seed=0)
    assert (tiny.classes == 0).sum() == 1  # five samples make one prototype


def test_clusters_are_matched_with_the_classes_most_like_them_and_others_are_new():
    labelled = make_task(n=80, k=4, spread=0.3)
    rows, y = Rows(labelled.task.X, 0.5, centred=True), labelled.y
    known = condensed(rows, np.eye(4)[y], y, np.arange(4), budget=5, smallest=3, seed=0)
    turned = (y + 1) % 4
    likeness = rows.z.times(known.directions().T)
    assert matched_classes(likeness, turned, 4).tolist() == [3, 0, 1, 2]
    assert matched_classes(likeness[:, :3], y, 4).tolist() == [0, 1, 2, 3]

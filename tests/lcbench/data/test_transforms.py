from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from making import make_stream
from scipy import sparse
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import lcbench
from lcbench.data.transforms import MINMAX, SQRT, STANDARDISE, scaled_to_one, square_roots, standardised, transformed
from lcbench.experiment.resolving import configured_streams

X = np.array([[0.0, 4, -9], [1, 0, 16], [0.25, 4, 0]])


def test_square_roots_keep_the_sign_and_a_sparse_matrix_stays_sparse():
    expected = [[0, 2, -3], [1, 0, 4], [0.5, 2, 0]]
    assert square_roots(X).tolist() == expected
    thin = square_roots(sparse.csr_array(X))
    assert sparse.issparse(thin)
    assert thin.nnz == 6
    assert thin.toarray().tolist() == expected


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_standardised_features_are_those_of_scikit_learn(kind):
    X = np.random.default_rng(0).normal(3, 2, (20, 4)) * [1, 100, 0.01, 1]
    np.testing.assert_allclose(standardised(kind(X)), StandardScaler().fit_transform(X), atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_features_scaled_to_one_are_those_of_scikit_learn(kind):
    X = np.random.default_rng(0).normal(3, 2, (20, 4)) * [1, 100, 0.01, -1]
    np.testing.assert_allclose(scaled_to_one(kind(X)), MinMaxScaler().fit_transform(X), atol=1e-12)
    np.testing.assert_allclose(
        scaled_to_one(1e307 * kind(X / np.abs(X).max())), MinMaxScaler().fit_transform(X), atol=1e-9
    )


@pytest.mark.parametrize("change", [standardised, scaled_to_one])
def test_a_feature_that_is_the_same_everywhere_becomes_0(change):
    assert not change(np.full((5, 2), [0.1, 0.0])).any()


@pytest.mark.parametrize("transform", [SQRT, STANDARDISE, MINMAX])
def test_a_stream_keeps_its_tasks_labels_and_names_of_features(transform):
    stream = make_stream(names=tuple("abcdefghijkl"))
    changed = transformed(stream, transform)
    assert (changed.name, changed.card) == (f"blobs:transform={transform}", stream.card)
    for before, after in zip(stream.tasks(), changed.tasks(), strict=True):
        assert (after.name, after.classes, after.task.feature_names) == (
            before.name,
            before.classes,
            tuple("abcdefghijkl"),
        )
        assert (after.y == before.y).all()
        assert after.task.n_clusters == before.task.n_clusters
    if transform == STANDARDISE:  # each task by itself
        assert all(np.allclose(labelled.task.X.mean(axis=0), 0) for labelled in changed.tasks())


@pytest.mark.parametrize("scale", [1e-200, 1e160, 1e307])
def test_values_at_the_ends_of_what_a_float_holds_are_standardised_as_others(scale):
    expected = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(standardised(scale * X), expected, atol=1e-9)


def test_a_transformed_stream_can_be_run_as_an_object_and_a_folder_is_still_known_to_be_one():
    (run,) = lcbench.run(
        "kmeans", lcbench.load_stream("digits", tasks=1, transform="sqrt"), executor=lcbench.InProcess()
    )
    assert run.stream_label == "digits:transform=sqrt"
    Path("mine").mkdir()
    np.savez(Path("mine", "one.npz"), X=X, y=[0, 1, 1])
    (configured,) = configured_streams([lcbench.load_stream("./mine", transform="sqrt")])
    assert configured.folder == Path("mine").absolute()  # which a sealed run does not see


def test_without_a_transform_it_is_the_same_stream():
    stream = make_stream()
    assert transformed(stream, None) is stream

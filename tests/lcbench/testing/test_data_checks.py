"""Sentences of checks on data; their broken methods are in `test_kit.py`."""

from __future__ import annotations

import pytest
from lcbench_broken.methods import CountsRows, WantsToWrite
from lcbench_broken.sound import Sound
from scipy import sparse
from sklearn.cluster import MiniBatchKMeans

import lcbench
from lcbench.testing.checks import SkippedError
from lcbench.testing.data_checks import check_dense_and_sparse, check_permuted_rows, check_read_only
from lcbench.testing.subjects import subjects_of


class OnlyDense(Sound):
    def cluster(self, task):
        if sparse.issparse(task.X):
            raise lcbench.UnsuitableTaskError("dense tasks only")
        return super().cluster(task)


class MiniBatches(Sound):
    """Hands the data of a task to scikit-learn as they are, which fails for sparse ones."""

    def cluster(self, task):
        return MiniBatchKMeans(task.n_clusters, n_init=1, random_state=0).fit_predict(task.X)


def only(method: lcbench.Clusterer):
    return subjects_of(method)[0]


def test_what_cannot_be_compared_is_skipped_with_the_reason():
    with pytest.raises(SkippedError, match="it takes no sparse tasks, or no dense ones"):
        check_dense_and_sparse(only(OnlyDense()))
    with pytest.raises(SkippedError, match="it does not find groups that are far apart"):
        check_permuted_rows(only(lcbench.load_method("random")))


def test_the_task_with_other_groups_is_named():
    with pytest.raises(AssertionError, match="CountsRows finds other groups in 'task-1' when its samples come in ano"):
        check_permuted_rows(only(CountsRows()))


def test_estimators_that_write_to_their_input_are_told_apart_by_kind():
    with pytest.raises(AssertionError, match=r"WantsToWrite cannot work on read-only dense data \(buffer source"):
        check_read_only(only(WantsToWrite()))
    with pytest.raises(AssertionError, match=r"MiniBatches cannot work on read-only sparse data \(buffer source"):
        check_read_only(only(MiniBatches()))

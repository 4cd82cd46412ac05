from __future__ import annotations

import hashlib
import logging
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

import lcbench
from lcbench.contract.task import Task
from lcbench.experiment.options import Experiment
from lcbench.experiment.planning import plan_experiment
from lcbench_spectral import affinity, approximate
from lcbench_spectral.approximate import approximate_pairs
from lcbench_spectral.scaling import unit_rows
from lcbench_spectral.stsc import StSC

needs_faiss = pytest.mark.skipif(not approximate.is_installed(), reason="the extra large (faiss) is not installed")
LABELS = """
import hashlib, lcbench
task = lcbench.load_stream("topics:tasks=1,documents=300,words=400").tasks()[0].task
print(hashlib.sha256(lcbench.load_method("stsc:neighbors=approximate").partial_fit(task).labels_.tobytes()).hexdigest())
"""


def samples(kind: str, n: int = 2000):
    generator = np.random.default_rng(0)
    centres = generator.random((20, 300)) * (generator.random((20, 300)) < 0.1)
    X = centres[generator.integers(20, size=n)] * generator.poisson(1.0, size=(n, 300))
    X[:, 0] += 0.1
    return sparse.csr_array(X) if kind == "sparse" else X + 0.05 * generator.random((n, 300))


@needs_faiss
@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("unit", [True, False])
def test_nearly_all_neighbours_are_those_of_scikit_learn_and_their_distances_are_exact(kind, unit):
    X = unit_rows(samples(kind)) if unit else samples(kind)
    n = X.shape[0]
    i, j, squared = approximate_pairs(X, 10, unit=unit)
    theirs = NearestNeighbors(n_neighbors=10).fit(X).kneighbors(return_distance=False)
    assert i.tolist() == np.repeat(np.arange(n), 10).tolist()
    assert not (i == j).any()
    shared = [len({*ours} & {*own}) for ours, own in zip(j.reshape(n, 10), theirs, strict=True)]
    assert np.mean(shared) / 10 > 0.95
    dense = X.toarray() if sparse.issparse(X) else X
    np.testing.assert_allclose(squared, ((dense[i] - dense[j]) ** 2).sum(axis=1), atol=1e-10)


@needs_faiss
@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_rows_in_lists_of_hardly_any_and_rows_that_are_all_alike_have_as_many_neighbours(monkeypatch, kind):
    X = unit_rows(samples(kind, 60))
    X = (sparse.vstack if kind == "sparse" else np.vstack)([X, *[X[[0]]] * 40])
    monkeypatch.setattr(approximate, "LISTED", 2)
    monkeypatch.setattr(approximate, "LISTS", 1)
    i, j, squared = approximate_pairs(X, 10, unit=True)
    assert i.tolist() == np.repeat(np.arange(100), 10).tolist()
    assert not (i == j).any()
    assert all(len({*row}) == 10 for row in j.reshape(100, 10).tolist())
    assert not squared.reshape(100, 10)[60:].any()


@pytest.mark.slow
@needs_faiss
def test_labels_are_the_same_again_and_in_another_process():
    other = subprocess.run([sys.executable, "-c", LABELS], capture_output=True, check=True, text=True).stdout.strip()
    task = lcbench.load_stream("topics:tasks=1,documents=300,words=400").tasks()[0].task
    method = lcbench.load_method("stsc:neighbors=approximate")
    assert method.partial_fit(task).labels_.tolist() == method.predict(task).tolist()
    assert hashlib.sha256(method.labels_.tobytes()).hexdigest() == other


@pytest.mark.parametrize(("n", "neighbors", "expected"), [
    (19_999, "auto", "nearest_pairs"), (20_000, "auto", "approximate_pairs"), (20_000, "exact", "nearest_pairs"),
    (50, "approximate", "approximate_pairs"),
])  # fmt: skip
def test_neighbours_are_approximate_from_twenty_thousand_samples_on(monkeypatch, n, neighbors, expected):
    monkeypatch.setattr(approximate, "is_installed", lambda: True)
    assert affinity._search(n, neighbors).__name__ == expected


def test_without_the_extra_large_tasks_are_compared_exactly_and_a_sentence_names_it(monkeypatch, caplog, make_task):
    monkeypatch.setattr(approximate, "is_installed", lambda: False)
    task: Task = make_task("a").task
    exact = StSC(neighbors="exact").partial_fit(task).labels_
    assert not caplog.records
    monkeypatch.setattr(affinity, "APPROXIMATE_FROM", 10)
    with caplog.at_level(logging.WARNING):
        assert StSC().partial_fit(task).labels_.tolist() == exact.tolist()
    assert "pip install 'lcbench[large]'" in caplog.text
    with pytest.raises(
        lcbench.LcbenchError, match=r"neighbors=approximate needs faiss: pip install 'lcbench\[large\]'"
    ):
        StSC(neighbors="approximate").partial_fit(task)


def test_the_parameter_is_in_the_id_of_a_run_only_where_it_is_not_at_its_default():
    def ids(name: str, **grid: list[str]) -> list[str]:
        asked = Experiment(
            methods=[name], streams=["digits:tasks=1"], grid=[f"stsc.{k}={','.join(v)}" for k, v in grid.items()]
        )
        return sorted(run.run_id for run in plan_experiment(asked))

    assert ids("stsc") == ids("stsc:neighbors=auto") != ids("stsc:neighbors=exact")
    assert ids("stsc", neighbors=["auto", "exact"]) == sorted(ids("stsc") + ids("stsc:neighbors=exact"))

"""Tasks without labels: they run, on metrics that need none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import silhouette_score

import lcbench
from lcbench import TaskStream
from lcbench.running.harness import replay

X = np.kron(np.eye(2), np.ones((6, 3))) + 0.1 * np.random.default_rng(0).random((12, 6))
Y = np.repeat(["red", "blue"], 6)
DIGITS = "digits:tasks=1,per_class=5"


def mixed() -> TaskStream:
    return TaskStream.from_arrays("mixed", {"known": (X, Y), "unknown": (X + 1, None)}, clusters=2)


def silent() -> TaskStream:
    return TaskStream.from_arrays("silent", {"one": (X, None), "two": (X + 1, None)}, clusters=2)


def test_external_metrics_are_null_and_internal_ones_are_computed_without_labels():
    metrics = {name: lcbench.load_metric(name) for name in ("purity", "nmi", "silhouette")}
    steps = list(replay(lcbench.load_method("kmeans"), mixed().tasks(), metrics))
    final = steps[-1].scores
    assert final["purity"][0] == 1.0
    assert final["purity"][1] is None
    assert final["nmi"][1] is None
    for j, task in enumerate(mixed().tasks()):
        expected = silhouette_score(task.task.X, steps[-1].labels[task.name])
        assert final["silhouette"][j] == pytest.approx(expected, abs=1e-6)


def test_a_sparse_task_without_labels_runs_as_well():
    stream = TaskStream.from_arrays("sparse", {"one": (sparse.csr_array(X), None)}, clusters=2)
    (run,) = lcbench.run("kmeans", stream)
    assert run.status == "ok"
    assert run.scores["silhouette"][0][0] is not None


@pytest.mark.parametrize(
    ("streams", "metrics"),
    [
        ([DIGITS], ["purity", "nmi", "ri", "ari"]),
        ([silent()], ["silhouette"]),
        ([mixed()], ["purity", "nmi", "ri", "ari", "silhouette"]),
        ([DIGITS, silent()], ["purity", "nmi", "ri", "ari", "silhouette"]),
    ],
)
def test_what_is_shown_by_default_depends_on_what_the_streams_have(streams, metrics):
    results = lcbench.run("kmeans:n_init=1", streams)
    assert results.metrics == metrics
    assert all(run.status == "ok" for run in results)


def test_a_record_of_a_stream_without_labels_has_nulls_and_figures_of_internal_metrics():
    (run,) = lcbench.run("kmeans", silent())
    record = run.to_json()
    assert record["scores"]["purity"] == [[None, None], [None, None]]
    assert record["summary"]["purity"]["average_after_all"]["value"] is None
    assert record["summary"]["silhouette"]["average_after_all"]["value"] > 0.5


def test_every_method_runs_without_labels():
    results = lcbench.run(["l2sc:k=2", "stsc", "usc", "random", "one-cluster"], silent())
    assert {run.label: run.error for run in results if run.status != "ok"} == {}

"""The arguments of `lcbench.run`, and the runs that come back."""

from __future__ import annotations

import itertools

import pytest
from listening import Started
from small_methods import ByTurns

import lcbench
from lcbench.errors import LcbenchError
from lcbench.experiment.options import OPTIONS, Experiment
from lcbench.records.record import OK
from lcbench.running.executor import InProcess

ARGUMENTS = {
    "methods": ["kmeans", "usc"], "streams": ["topics"], "plugins": ["mine.py"], "order": "random", "repeats": 6,
    "seed": 3, "name": "for table 2", "metrics": ["nmi"], "evaluate": "last", "future": True, "threads": 2,
    "baselines": False, "solo": False, "grid": {"kmeans": {"n_init": [1, 2]}}, "tune": "oracle", "tune_metric": "nmi",
    "audit": "poison", "fresh": True, "retry_failed": True, "jobs": 2, "timeout": "5min", "memory_limit": "2GB",
    "sealed": True, "executor": "dask", "scheduler": "tcp://10.0.0.1:8786",
}  # fmt: skip


@pytest.fixture
def run_here(monkeypatch):
    """`lcbench.run` with all runs in this process, which starts faster."""
    monkeypatch.setattr("lcbench.experiment.pipeline.executor_of", lambda _: InProcess())
    return lcbench.run


def empty_cells(run, metric: str = "nmi") -> list[list[bool]]:
    return [[cell is None for cell in row] for row in run.scores[metric]]


class PreparedError(Exception):
    """Carries the experiment that would be prepared."""


def test_every_argument_reaches_the_experiment(monkeypatch):
    """What the experiment makes of them is in tests/lcbench/experiment."""

    def prepare(asked):
        raise PreparedError(asked)

    monkeypatch.setattr("lcbench.api.run.prepare", prepare)
    with pytest.raises(PreparedError) as prepared:
        lcbench.run(out="kept", **ARGUMENTS)
    (asked,) = prepared.value.args
    assert asked == Experiment(results="kept", **ARGUMENTS)
    assert {*ARGUMENTS, "results"} == set(OPTIONS)
    assert [name for name in OPTIONS if getattr(asked, name) == getattr(Experiment(), name)] == []


def test_an_instance_runs_under_the_name_of_its_class_and_is_never_changed(blob_stream):
    method = ByTurns(shift=1)
    (run,) = lcbench.run(method, blob_stream)
    assert vars(method) == {"sides": None, "shift": 1}
    assert (run.status, run.method, run.label) == (OK, "small_methods.ByTurns", "ByTurns:shift=1")
    assert run.params == {"sides": None, "shift": 1}
    # The blobs take turns as well: the partition is perfect.
    assert run.scores["ari"] == [[1, None, None], [1, 1, None], [1, 1, 1]]


def test_a_mapping_labels_methods_by_name_and_by_instance(blob_stream):
    results = lcbench.run(
        {"chance": "random", "turns": ByTurns(), "later": ByTurns(shift=2)}, {"our blobs": blob_stream}
    )
    assert [(run.label, run.method) for run in results] == [
        ("chance", "random"), ("turns", "small_methods.ByTurns"), ("later", "small_methods.ByTurns"),
    ]  # fmt: skip
    assert {run.stream_label for run in results} == {"our blobs"}
    assert "our blobs" in repr(results)


def test_a_wrong_argument_is_refused_before_anything_is_run(blob_stream):
    started = Started()
    with pytest.raises(LcbenchError, match="There is no audit 'poisson'"):
        lcbench.run("one-cluster", blob_stream, listeners=[started], audit="poisson")
    assert started.labels == []


def test_random_orders_differ_between_repeats_and_are_the_same_for_every_method(run_here, blob_stream):
    results = run_here(["one-cluster", "random"], blob_stream, order="random", repeats=6, seed=3)
    orders = {method: [run.order for run in results if run.method == method] for method in ("one-cluster", "random")}
    assert orders["one-cluster"] == orders["random"]
    assert sorted(orders["random"]) == sorted(itertools.permutations(t.name for t in blob_stream.tasks()))


def test_evaluate_last_scores_old_tasks_at_the_end_only_and_future_scores_tasks_to_come(run_here, blob_stream):
    baseline, last = run_here("l2sc", blob_stream, evaluate="last", solo=False)
    (early,) = run_here("l2sc", blob_stream, future=True, baselines=False, solo=False)
    assert (baseline.label, last.label) == ("stsc", "l2sc")
    assert empty_cells(last)[1][0]
    assert empty_cells(last)[2] == [False, False, False]
    assert empty_cells(early) == [[False] * 3] * 3


def test_a_grid_is_tuned_by_the_first_metric_that_is_shown_and_compares_with_labels(run_here, blob_stream):
    results = run_here(
        "kmeans", blob_stream, grid={"kmeans": {"n_init": [1, 2]}}, tune="oracle", metrics=["silhouette", "nmi"]
    )
    assert [run.label for run in results] == ["kmeans (oracle)"]
    assert results[0].choice["metric"] == "nmi"
    assert [run.params["n_init"] for run in results.searched] == [1, 2]
    assert {gap.metric for gap in results.gaps} == {"silhouette", "nmi"}


def test_the_audits_that_are_asked_for_are_in_the_record(blob_stream):
    usual, poisoned = (lcbench.run("one-cluster", blob_stream, **o)[0].audit for o in ({}, {"audit": "poison"}))
    assert ("measure" in usual, "poison" in usual) == (True, False)
    assert ("measure" in poisoned, "poison" in poisoned) == (True, True)


def test_a_stored_run_is_repeated_only_if_that_is_asked_for(run_here, blob_stream, tmp_path):
    def started(**options) -> list[str]:
        listener = Started()
        results = run_here("one-cluster", blob_stream, out=tmp_path, listeners=[listener], **options)
        assert [(run.label, run.status) for run in results] == [("one-cluster", OK)]
        return listener.labels

    assert started() == ["one-cluster"]
    assert started() == []
    assert started(retry_failed=True) == []
    assert started(fresh=True) == ["one-cluster"]

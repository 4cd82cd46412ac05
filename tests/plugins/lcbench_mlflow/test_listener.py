"""Runs are logged to the real MLflow, in a folder, and read back by it."""

from __future__ import annotations

import sys

import pytest
from making import make_record

import lcbench
from lcbench_mlflow import MLflowListener


def logged(store, experiment="lcbench"):
    found = store.get_experiment_by_name(experiment)
    return [] if found is None else store.search_runs([found.experiment_id])


def test_a_run_has_its_parameters_tags_and_scores_by_step(store):
    (run,) = lcbench.run(
        "kmeans", "digits:tasks=2,per_class=5", listeners=[MLflowListener("mine")], executor=lcbench.InProcess()
    )
    (found,) = logged(store, "mine")
    assert found.info.status == "FINISHED"
    assert found.info.run_name == f"{run.label} on {run.stream_label}, repeat 0"
    assert found.data.tags["lcbench.run_id"] == run.run_id
    assert found.data.params["stream.tasks"] == "2"
    assert set(run.params) <= set(found.data.params)
    history = sorted(store.get_metric_history(found.info.run_id, "nmi"), key=lambda metric: metric.step)
    R = run.scores["nmi"]
    assert [(metric.step, metric.value) for metric in history] == [
        (1, R[0][0]), (2, pytest.approx((R[1][0] + R[1][1]) / 2)),
    ]  # fmt: skip


def test_a_failed_run_is_there_as_failed_with_its_error(store):
    MLflowListener().lcbench_run_finished(make_record(status="failed", error="x" * 9000, finished=None))
    (found,) = logged(store)
    assert found.info.status == "FAILED"
    assert found.data.tags["lcbench.error"].startswith("xxx")


def test_names_that_mlflow_refuses_are_changed_and_tasks_alone_left_out(store):
    listener = MLflowListener()
    listener.lcbench_run_finished(make_record("m", [0.5, 0.7], metric="f(beta=2,x='y')"))
    listener.lcbench_run_finished(make_record("m", [0.5], order="a"))
    (found,) = logged(store)
    assert found.data.metrics["f_beta_2_x__y__"] == pytest.approx(0.6)


def test_a_long_run_has_more_metrics_than_one_request_takes(store):
    order = [f"t{i}" for i in range(450)]
    row = [0.5] * 450
    R = [[*row[: i + 1], *[None] * (449 - i)] for i in range(450)]
    MLflowListener().lcbench_run_finished(make_record("m", R, order=order))
    (found,) = logged(store)
    assert len(store.get_metric_history(found.info.run_id, "purity")) == 450
    assert len(store.get_metric_history(found.info.run_id, "state_bytes")) == 450


def test_a_run_that_the_caller_has_open_is_left_alone(store):
    import mlflow

    with mlflow.start_run() as own:
        MLflowListener().lcbench_run_finished(make_record())
        assert mlflow.active_run().info.run_id == own.info.run_id
    assert store.get_run(own.info.run_id).data.metrics == {}


def test_without_mlflow_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ImportError, match=r"pip install 'lcbench\[mlflow\]'"):
        MLflowListener()

from __future__ import annotations

from pathlib import Path

import pytest

import lcbench
import lcbench_mlflow
from lcbench_mlflow.listener import MLflowListener


@pytest.fixture
def _anew():
    """The hook makes its listener at its first call: it must not keep that of another test."""
    lcbench_mlflow._listener.cache_clear()
    yield
    lcbench_mlflow._listener.cache_clear()


@pytest.mark.usefixtures("_anew")
def test_the_hook_logs_for_a_plugin_file_that_imports_it(store):
    Path("to_mlflow.py").write_text("from lcbench_mlflow import lcbench_run_finished\n", encoding="utf-8")
    (run,) = lcbench.run("kmeans", "digits:tasks=2,per_class=5", plugins=["to_mlflow.py"], executor=lcbench.InProcess())
    (found,) = store.search_runs([store.get_experiment_by_name("lcbench").experiment_id])
    assert found.data.tags["lcbench.run_id"] == run.run_id


def test_the_listener_is_a_name_of_the_package():
    assert lcbench_mlflow.MLflowListener is MLflowListener
    with pytest.raises(AttributeError, match="nothing"):
        _ = lcbench_mlflow.nothing

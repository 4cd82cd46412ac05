"""The real MLflow, with a folder to keep runs in."""

from __future__ import annotations

import pytest


@pytest.fixture
def store(tmp_path, monkeypatch):
    """The client of an MLflow that keeps its runs in a folder."""
    mlflow = pytest.importorskip("mlflow", reason="the extra mlflow is not installed")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlruns").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(None)
    return mlflow.MlflowClient()

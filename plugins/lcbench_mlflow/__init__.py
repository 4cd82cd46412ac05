"""Logs finished runs to MLflow: a listener for experiments, and a hook for a plugin file. This module is light."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from lcbench import hookimpl

if TYPE_CHECKING:
    from lcbench import RunRecord
    from lcbench_mlflow.listener import MLflowListener

__all__ = ["MLflowListener", "lcbench_run_finished"]


def __getattr__(name: str) -> Any:
    if name == "MLflowListener":
        from lcbench_mlflow.listener import MLflowListener

        return MLflowListener
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _listener() -> MLflowListener:
    from lcbench_mlflow.listener import MLflowListener

    return MLflowListener()


@hookimpl
def lcbench_run_finished(run: RunRecord) -> None:
    """Logs the run where MLflow's own settings say; for a plugin file that imports this function."""
    _listener().lcbench_run_finished(run)

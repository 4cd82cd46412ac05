"""lcbench: a benchmark for lifelong and multi-task clustering.

Importing it is light: numpy and scikit-learn are imported when something is built or run.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lcbench.clusterer import Clusterer
    from lcbench.errors import LcbenchError, UnknownTaskError, UnsuitableTaskError
    from lcbench.experiment import run
    from lcbench.harness import replay
    from lcbench.hookspecs import hookimpl
    from lcbench.loading import load_method, load_metric, load_stream
    from lcbench.metric import Contingency, ExternalMetric, InternalMetric, Metric
    from lcbench.recipes.recipe import recipe_spec
    from lcbench.results import Results, compare, load_results
    from lcbench.specs import (
        MethodSpec,
        MetricKind,
        MetricSpec,
        Param,
        Setting,
        StreamCard,
        StreamSpec,
        TaskShape,
    )
    from lcbench.stream import TaskStream
    from lcbench.task import LabelledTask, Task

_HOMES = {
    "clusterer": ("Clusterer",),
    "errors": ("LcbenchError", "UnknownTaskError", "UnsuitableTaskError"),
    "experiment": ("run",),
    "harness": ("replay",),
    "hookspecs": ("hookimpl",),
    "loading": ("load_method", "load_metric", "load_stream"),
    "metric": ("Contingency", "ExternalMetric", "InternalMetric", "Metric"),
    "recipes.recipe": ("recipe_spec",),
    "results": ("Results", "compare", "load_results"),
    "specs": (
        "MethodSpec", "MetricKind", "MetricSpec", "Param", "Setting", "StreamCard", "StreamSpec", "TaskShape",
    ),
    "stream": ("TaskStream",),
    "task": ("LabelledTask", "Task"),
}  # fmt: skip
_MODULE_OF = {name: f"lcbench.{module}" for module, names in _HOMES.items() for name in names}

__all__ = [
    "Clusterer",
    "Contingency",
    "ExternalMetric",
    "InternalMetric",
    "LabelledTask",
    "LcbenchError",
    "MethodSpec",
    "Metric",
    "MetricKind",
    "MetricSpec",
    "Param",
    "Results",
    "Setting",
    "StreamCard",
    "StreamSpec",
    "Task",
    "TaskShape",
    "TaskStream",
    "UnknownTaskError",
    "UnsuitableTaskError",
    "__version__",
    "compare",
    "hookimpl",
    "load_method",
    "load_metric",
    "load_results",
    "load_stream",
    "recipe_spec",
    "replay",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'lcbench' has no attribute '{name}'")
    value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

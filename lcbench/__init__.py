"""lcbench: a benchmark for lifelong and multi-task clustering.

The names in `__all__` are public, and `lcbench.testing` is; every other module is internal and may move or change. A
name is imported from its room when it is first used, so that importing lcbench is light: numpy and scikit-learn are
imported when something is built or run.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from lcbench.analysis.run_scores import figures_of
    from lcbench.api.compare import Comparison, compare
    from lcbench.api.figures import Figures
    from lcbench.api.listing import list_methods, list_metrics, list_streams
    from lcbench.api.loading import load_method, load_metric, load_stream
    from lcbench.api.results import Results, load_results
    from lcbench.api.run import run
    from lcbench.contract.clusterer import Clusterer, MultiTaskClusterer, SingleTaskClusterer, split_labels, stack_tasks
    from lcbench.contract.hashing import derive_seed
    from lcbench.contract.hookspecs import hookimpl
    from lcbench.contract.metric import Contingency, ExternalMetric, InternalMetric, Metric
    from lcbench.contract.reference import Reference
    from lcbench.contract.specs import (
        MethodSpec,
        MetricKind,
        MetricSpec,
        Param,
        Params,
        RawData,
        Setting,
        StreamCard,
        StreamSpec,
        SuiteSpec,
        TaskShape,
    )
    from lcbench.contract.stream import TaskStream
    from lcbench.contract.task import FloatArray, IntArray, LabelledTask, Matrix, Task
    from lcbench.data.recipes.recipe import recipe_spec
    from lcbench.data.sources.archives import Member
    from lcbench.data.sources.dealing import deal
    from lcbench.data.sources.documents import Document, unify_line_ends
    from lcbench.data.sources.obtaining import raw_documents
    from lcbench.errors import (
        DataRefusedError,
        LcbenchError,
        ParameterError,
        UnknownTaskError,
        UnsuitableTaskError,
        did_you_mean,
    )
    from lcbench.records.record import RunRecord, Step
    from lcbench.records.store import Store
    from lcbench.running.executor import Executor, InProcess
    from lcbench.running.harness import replay

# Where each public name is defined. It is imported from there when it is first used.
_HOMES = {
    "analysis.run_scores": ("figures_of",),
    "api.compare": (
        "Comparison",
        "compare",
    ),
    "api.figures": ("Figures",),
    "api.listing": (
        "list_methods",
        "list_metrics",
        "list_streams",
    ),
    "api.loading": (
        "load_method",
        "load_metric",
        "load_stream",
    ),
    "api.results": (
        "Results",
        "load_results",
    ),
    "api.run": ("run",),
    "contract.clusterer": (
        "Clusterer",
        "MultiTaskClusterer",
        "SingleTaskClusterer",
        "split_labels",
        "stack_tasks",
    ),
    "contract.hashing": ("derive_seed",),
    "contract.hookspecs": ("hookimpl",),
    "contract.metric": (
        "Contingency",
        "ExternalMetric",
        "InternalMetric",
        "Metric",
    ),
    "contract.reference": ("Reference",),
    "contract.specs": (
        "MethodSpec",
        "MetricKind",
        "MetricSpec",
        "Param",
        "Params",
        "RawData",
        "Setting",
        "StreamCard",
        "StreamSpec",
        "SuiteSpec",
        "TaskShape",
    ),
    "contract.stream": ("TaskStream",),
    "contract.task": (
        "FloatArray",
        "IntArray",
        "LabelledTask",
        "Matrix",
        "Task",
    ),
    "data.recipes.recipe": ("recipe_spec",),
    "data.sources.archives": ("Member",),
    "data.sources.dealing": ("deal",),
    "data.sources.documents": (
        "Document",
        "unify_line_ends",
    ),
    "data.sources.obtaining": ("raw_documents",),
    "errors": (
        "DataRefusedError",
        "LcbenchError",
        "ParameterError",
        "UnknownTaskError",
        "UnsuitableTaskError",
        "did_you_mean",
    ),
    "records.record": (
        "RunRecord",
        "Step",
    ),
    "records.store": ("Store",),
    "running.executor": (
        "Executor",
        "InProcess",
    ),
    "running.harness": ("replay",),
}
_MODULE_OF = {name: f"lcbench.{module}" for module, names in _HOMES.items() for name in names}

__all__ = [
    "Clusterer",
    "Comparison",
    "Contingency",
    "DataRefusedError",
    "Document",
    "Executor",
    "ExternalMetric",
    "Figures",
    "FloatArray",
    "InProcess",
    "IntArray",
    "InternalMetric",
    "LabelledTask",
    "LcbenchError",
    "Matrix",
    "Member",
    "MethodSpec",
    "Metric",
    "MetricKind",
    "MetricSpec",
    "MultiTaskClusterer",
    "Param",
    "ParameterError",
    "Params",
    "RawData",
    "Reference",
    "Results",
    "RunRecord",
    "Setting",
    "SingleTaskClusterer",
    "Step",
    "Store",
    "StreamCard",
    "StreamSpec",
    "SuiteSpec",
    "Task",
    "TaskShape",
    "TaskStream",
    "UnknownTaskError",
    "UnsuitableTaskError",
    "__version__",
    "compare",
    "deal",
    "derive_seed",
    "did_you_mean",
    "figures_of",
    "hookimpl",
    "list_methods",
    "list_metrics",
    "list_streams",
    "load_method",
    "load_metric",
    "load_results",
    "load_stream",
    "raw_documents",
    "recipe_spec",
    "replay",
    "run",
    "split_labels",
    "stack_tasks",
    "unify_line_ends",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'lcbench' has no attribute '{name}'")
    value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

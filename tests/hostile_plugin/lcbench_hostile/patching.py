"""Methods that change the code around them: classes, functions and lcbench itself."""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys
import time

import numpy as np

from lcbench_hostile.base import Hostile


class PatchesMetrics(Hostile):
    """Makes every metric class say 1."""

    def attack(self, task) -> None:
        for value in vars(importlib.import_module("lcbench_indices.indices")).values():
            if isinstance(value, type) and hasattr(value, "score"):
                with contextlib.suppress(TypeError, AttributeError):
                    value.score = lambda *_: 1.0


class PatchesContingency(Hostile):
    """Makes the table of classes and clusters compare the labels with themselves."""

    def attack(self, task) -> None:
        from lcbench.contract.metric import Contingency

        first = Contingency.__init__
        Contingency.__init__ = lambda self, y, labels: first(self, labels, labels)


class PatchesScoring(Hostile):
    """Replaces lcbench's own functions for scores."""

    def attack(self, task) -> None:
        from lcbench.records import scoring

        scoring.score_row = lambda metrics, tasks, labels: {name: [1.0] * len(tasks) for name in metrics}
        scoring.agreement_row = lambda order, *_: [1.0] * len(order)


class PatchesKMeans(Hostile):
    """Makes scikit-learn's k-means put all samples together."""

    def attack(self, task) -> None:
        from sklearn.cluster import KMeans

        KMeans.fit_predict = lambda self, X, *_, **__: np.zeros(X.shape[0], np.int64)
        KMeans.fit = lambda self, X, *_, **__: setattr(self, "labels_", np.zeros(X.shape[0], np.int64)) or self


class PatchesNumpy(Hostile):
    """Makes random generators, sorting and norms of numpy constant."""

    def attack(self, task) -> None:
        np.random.default_rng = lambda *_: np.random.Generator(np.random.PCG64(0))
        np.argsort = lambda a, *_, **__: np.arange(len(a))
        np.linalg.norm = lambda *_, **__: 1.0
        np.random.seed(12345)  # noqa: NPY002


class PatchesEigsh(Hostile):
    """Makes eigenvectors zeros, by scipy's function and wherever it was imported."""

    def attack(self, task) -> None:
        import scipy.sparse.linalg as linalg

        for module in [linalg, *(m for name, m in sys.modules.items() if name.startswith(("scipy", "lcbench")))]:
            with contextlib.suppress(AttributeError, TypeError):
                if hasattr(module, "eigsh"):
                    module.eigsh = lambda A, k=6, **_: (np.zeros(k), np.zeros((A.shape[0], k)))


class PatchesRunning(Hostile):
    """Replaces the functions of lcbench.running in its own process."""

    def attack(self, task) -> None:
        for name, module in list(sys.modules.items()):
            if name.startswith("lcbench.running"):
                for attribute in ("checked_labels", "packed", "score_row", "method_seed", "supervise"):
                    if hasattr(module, attribute) and attribute != "checked_labels":
                        setattr(module, attribute, lambda *_, **__: b"patched")


class PatchesClock(Hostile):
    """Stands all clocks still, so that its work takes no time."""

    def attack(self, task) -> None:
        for module in list(sys.modules.values()):
            for attribute in ("perf_counter", "time", "monotonic", "process_time"):
                with contextlib.suppress(Exception):
                    if callable(getattr(module, attribute, None)) and module is not time:
                        setattr(module, attribute, lambda: 0.0)
        time.perf_counter = time.time = time.monotonic = time.process_time = lambda: 0.0


class PatchesBuiltins(Hostile):
    """Replaces len and sorted for the whole interpreter."""

    def attack(self, task) -> None:
        import builtins

        builtins.sorted = lambda *_, **__: []


class PatchesObjectsItFinds(Hostile):
    """Changes every list of numbers and every dict of settings that the garbage collector knows."""

    def attack(self, task) -> None:
        for found in gc.get_objects():
            with contextlib.suppress(Exception):
                if isinstance(found, dict) and "status" in found:
                    found["status"] = "failed"
                elif isinstance(found, list) and found and all(type(each) is float for each in found):
                    found[:] = [1.0] * len(found)

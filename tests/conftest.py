"""Small tasks that many tests share."""

from __future__ import annotations

import os
from pathlib import Path

from lcbench.running.threads import set_thread_variables

set_thread_variables(1)  # as runs have it, and before numpy is imported

import numpy as np
import pytest

from lcbench.contract.stream import ArrayStream
from lcbench.contract.task import LabelledTask


def blobs(name: str, *, seed: int = 0, n: int = 60, k: int = 3, d: int = 12, spread: float = 0.05) -> LabelledTask:
    """`k` far groups of non-negative samples: group c is large in its own block of features."""
    generator = np.random.default_rng(seed)
    y = np.arange(n) % k
    centres = np.kron(np.eye(k), np.ones(d // k))
    X = centres[y] + spread * generator.random((n, (d // k) * k))
    return LabelledTask.from_arrays(name, X, y)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """One cache for all tests, away from the user's own; and no network, unless a test asks for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LCBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("LCBENCH_OFFLINE", "1")
        yield


@pytest.fixture(autouse=True)
def _own_folder(tmp_path_factory, monkeypatch):
    """Every test starts in an empty folder: `lcbench run` keeps its results where it is called."""
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))
    monkeypatch.delenv("COLUMNS", raising=False)  # parallel test processes set it, and tables would fit themselves


@pytest.fixture
def webkb() -> None:
    """The WebKB archive is at hand, in the folder that LCBENCH_DATA names."""
    folder = os.environ.get("LCBENCH_DATA")
    if folder is None or not Path(folder, "webkb-data.gtar.gz").exists():
        pytest.skip("LCBENCH_DATA names no folder with the WebKB archive")


@pytest.fixture
def make_task():
    return blobs


@pytest.fixture
def blob_stream() -> ArrayStream:
    return ArrayStream("blobs", [blobs(f"task-{t + 1}", seed=t) for t in range(3)])

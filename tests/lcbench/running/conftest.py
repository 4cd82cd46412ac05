"""Methods that misbehave, and a small stream to run them on."""

from __future__ import annotations

import importlib
import time
from pathlib import Path

import numpy as np
import pytest

from lcbench.contract.stream import ArrayStream
from lcbench.contract.task import LabelledTask


@pytest.fixture(scope="module")
def hostile():
    """The module `hostile_methods`, under a name that workers can import."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "cheats"))
        yield importlib.import_module("hostile_methods")


@pytest.fixture(scope="module")
def module_stream():
    """Three tasks of random data, made once for all tests of a file."""
    generator = np.random.default_rng(0)
    tasks = [LabelledTask.from_arrays(f"task-{t + 1}", generator.random((60, 12)), np.arange(60) % 3) for t in range(3)]
    return ArrayStream("blobs", tasks)


@pytest.fixture
def assert_gone():
    """Fail unless a process is gone within a few seconds."""

    def check(pid: int) -> None:
        deadline = time.monotonic() + 5
        while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not Path(f"/proc/{pid}").exists()

    return check

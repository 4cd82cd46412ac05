"""A small stream, and a look at the end of processes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from making import make_stream


@pytest.fixture(scope="module")
def module_stream():
    """Three small tasks, made once for all tests of a file."""
    return make_stream()


@pytest.fixture
def assert_gone():
    """Fail unless a process is gone within a few seconds."""

    def check(pid: int) -> None:
        deadline = time.monotonic() + 5
        while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not Path(f"/proc/{pid}").exists()

    return check

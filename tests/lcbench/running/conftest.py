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


@pytest.fixture(scope="session")
def server():
    """The server that all experiments of this process share."""
    from lcbench.running.launching import FORKS, shared_server

    if not FORKS:
        pytest.skip("processes are not forked here")
    return shared_server(1)


@pytest.fixture
def ended(server):
    """Have a process do an action that ends it, and return how it ended."""
    from actions import job

    from lcbench.running.wire import ClosedError

    def end(action, *arguments, **limits):
        process = server.launch("method", job(action, *arguments), **limits)
        with pytest.raises(ClosedError):
            process.receive(60)
        return process.end()

    return end


@pytest.fixture
def told(ended):
    """What a new process tells of itself."""
    import json

    from actions import tells

    return lambda: json.loads(ended(tells).output)

"""A small stream, and a look at the end of processes."""

from __future__ import annotations

import logging
import time
import warnings
from functools import partial
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
    from actions import end_of

    return partial(end_of, server)


@pytest.fixture
def told(ended):
    """What a new process tells of itself."""
    import json

    from actions import tells

    return lambda: json.loads(ended(tells).output)


@pytest.fixture
def _logs_put_back(monkeypatch):
    """Undoes what a test does to the loggers and to warnings, as if this process were one of lcbench's."""
    root, ours = logging.getLogger(), logging.getLogger("lcbench")
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(ours, "propagate", True)
    handlers, levels = list(root.handlers), (root.level, ours.level)
    yield
    root.handlers = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


@pytest.fixture
def own_cluster(tmp_path):
    """A Dask scheduler without workers yet, for a test that starts or kills some."""
    from dask_processes import DaskProcesses

    with DaskProcesses(tmp_path) as dask:
        yield dask


@pytest.fixture
def other_scipy(tmp_path):
    """A folder in which scipy seems to be of another version, for the path of a worker."""
    facts = tmp_path / "other" / "scipy-0.1.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: scipy\nVersion: 0.1\n")
    return str(facts.parent)

"""Runs with audits, the methods that the audits are held against, the logger of the library, and bubblewrap."""

from __future__ import annotations

import logging
import shutil
import subprocess

import pytest

from lcbench.registry.host import plugin_host


@pytest.fixture
def library_log():
    """The logger of the library, whose state is put back."""
    logger = logging.getLogger("lcbench")
    handlers, propagate, level = logger.handlers, logger.propagate, logger.level
    yield logger
    logger.handlers, logger.propagate = handlers, propagate
    logger.setLevel(level)


@pytest.fixture(scope="session")
def can_seal() -> None:
    """Skips where bubblewrap is missing or may not work."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    tried = subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip("bubblewrap does not work here: user namespaces may be forbidden")


@pytest.fixture
def cheats():
    """The methods of the plugin; every place where they hide something is emptied before and after."""
    from lcbench_cheats import hiding, methods

    hiding.forget()
    yield methods
    hiding.forget()


@pytest.fixture
def audited():
    """Carry out one run with the audits named, and return its record."""

    from plans import plan_runs

    from lcbench.registry.events import Events
    from lcbench.running.single_run import execute_run

    def run(method, stream, *modes, **options):
        (planned,) = plan_runs(method, stream, baselines=False, **options)
        events = Events(plugin_host().manager)
        return execute_run(planned, lambda tasks, order, steps: [{}] * len(steps), events, ("measure", *modes))

    return run

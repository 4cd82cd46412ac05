"""Runs with audits, the methods that the audits are held against, and the logger of the library."""

from __future__ import annotations

import logging

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

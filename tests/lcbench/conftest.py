"""Runs with audits, and the methods that the audits are held against."""

from __future__ import annotations

import pytest

from lcbench.registry.host import plugin_host


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
        return execute_run(planned, lambda *_: {}, Events(plugin_host().manager), audit=("measure", *modes))

    return run

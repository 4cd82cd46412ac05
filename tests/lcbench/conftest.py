"""Runs with audits, and the methods that the audits are held against."""

from __future__ import annotations

import pytest
from making import make_record

from lcbench.registry.host import plugin_host


@pytest.fixture
def scored_run():
    """Runs over a and b by their scores at the end, in that order whatever the order of the run."""
    usual = {"metric": "nmi", "stream_tasks": ("a", "b"), "learn_seconds": [0.1, 0.1]}
    return lambda label, last, **more: make_record(label, dict(zip("ab", last, strict=True)), **(usual | more))


@pytest.fixture
def make_run():
    """Runs on four tasks, of which only the last row of R is looked at."""

    def make(method, params, order, last, **more):
        names = [f"task-{number}" for number in order]
        R = [*([0.0] * (i + 1) for i in range(3)), last]
        return make_record(method, R, order=names, params=params, stream="digits", **({"learn_seconds": []} | more))

    return make


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

    from lcbench.experiment.planning import plan_runs
    from lcbench.registry.events import Events
    from lcbench.running.single_run import execute_run

    def run(method, stream, *modes, **options):
        (planned,) = plan_runs(method, stream, baselines=False, **options)
        return execute_run(planned, {}, Events(plugin_host().manager), audit=("measure", *modes))

    return run

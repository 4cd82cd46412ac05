"""Runs that are audited as a user's are: the run, and every replay, in processes of their own."""

from __future__ import annotations

import pytest
from plans import plan_runs

from lcbench.registry.events import Events
from lcbench.registry.host import plugin_host
from lcbench.running.executor import Limits, Processes


@pytest.fixture
def audited():
    """Carry out one run with the audits named, and return its record."""

    def run(method, stream, *modes, **options):
        plan = plan_runs(method, stream, baselines=False, **options)
        audits = {planned.run_id: ("measure", *modes) for planned in plan}
        (record,) = Processes(Limits()).execute(plan.runs, [], audits, Events(plugin_host().manager))
        assert record.isolated
        return record

    return run

"""The sample plugin that cheats, at hand for these tests and for the processes they start."""

from __future__ import annotations

from pathlib import Path

import pytest

from lcbench.events import Events
from lcbench.execution import execute
from lcbench.planning import plan_runs
from lcbench.plugins import plugin_host


@pytest.fixture
def cheats(monkeypatch):
    """The methods of the plugin; every place where they hide something is emptied before and after."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "cheats"))
    from lcbench_cheats import hiding, methods

    hiding.forget()
    yield methods
    hiding.forget()


@pytest.fixture
def audited():
    """Carry out one run with the audits named, and return its record."""

    def run(method, stream, *modes, **options):
        (planned,) = plan_runs(method, stream, baselines=False, **options)
        return execute(planned, {}, Events(plugin_host().manager), audit=("measure", *modes))

    return run

"""Plans of experiments for tests."""

from __future__ import annotations

from typing import Any

from lcbench.experiment.options import Experiment
from lcbench.experiment.planning import Plan, plan_experiment


def plan_runs(methods: Any, streams: Any, **options: Any) -> Plan:
    """The plan of methods on streams, without solo runs unless they are asked for."""
    return plan_experiment(Experiment(**{"methods": methods, "streams": streams, "solo": False} | options))

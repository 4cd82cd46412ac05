"""Plans of experiments for tests, and experiments that are carried out with listeners."""

from __future__ import annotations

from functools import partial
from typing import Any

from lcbench.experiment.options import Experiment
from lcbench.experiment.pipeline import Outcome, carry_out, prepare
from lcbench.experiment.planning import Plan, plan_experiment
from lcbench.running.executor import InProcess


def plan_runs(methods: Any, streams: Any, **options: Any) -> Plan:
    """The plan of methods on streams, without solo runs unless they are asked for."""
    return plan_experiment(Experiment(**{"methods": methods, "streams": streams, "solo": False} | options))


def run_in_processes(methods: Any, streams: Any, listeners: Any = (), executor: Any = None, **options: Any) -> Outcome:
    """The outcome of an experiment, by default with a process for each run."""
    asked = Experiment(methods=methods, streams=streams, **options)
    return carry_out(prepare(asked), listeners=listeners, executor=executor)


run = partial(run_in_processes, executor=InProcess())  # starts faster; most tests hold for any executor

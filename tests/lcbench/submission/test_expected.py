"""Reasons for which a run is not expected are in scenarios/test_tampering.py."""

from __future__ import annotations

import pytest
from small_suite import METHODS

from lcbench.experiment.planning import plan_experiment
from lcbench.experiment.resolving import configured_methods
from lcbench.experiment.suites import Suite
from lcbench.registry.host import plugin_host
from lcbench.submission.expected import expected_runs, is_solo
from lcbench.submission.packing import _submitted


@pytest.mark.parametrize("quick", [False, True])
def test_the_runs_that_are_expected_are_those_that_the_suite_plans(small_suite, quick):
    """They are worked out without the methods, whose code a checker need not have."""
    suite = Suite(small_suite.file, quick)
    texts = [*METHODS, "l2sc:lam=0.5,k=none", "mine=pooled-kmeans"]
    planned = [run for experiment in suite.experiments(texts) for run in plan_experiment(experiment)]
    methods = [_submitted(entry, "0" * 64) for entry in configured_methods(texts, plugin_host().registry)]
    found = expected_runs(suite, methods)
    assert {run_id: is_solo(run) for run_id, run in found.items()} == {run.run_id: run.solo for run in planned}
    labels = {run.run_id: (run.like.label, run.like.stream_label, run.like.setting) for run in planned}
    assert {run_id: (run.label, run.stream_label, run.setting) for run_id, run in found.items()} == labels

from __future__ import annotations

import pytest

from lcbench.experiment.outcome import Outcome
from lcbench.records.record import CRASHED, OK, TIMEOUT


@pytest.fixture
def runs(scored_run):
    """Three runs of which the second was stopped."""
    return [scored_run("m", (0.5, 0.5), repeat=r, status=TIMEOUT if r == 1 else OK) for r in range(3)]


def test_it_is_read_like_a_list_of_its_runs(runs):
    outcome = Outcome(runs, ["nmi"])
    assert len(outcome) == 3
    assert list(outcome) == runs
    assert outcome[0] is runs[0]
    assert outcome[-1] is runs[2]


def test_every_run_that_did_not_end_well_is_among_the_failed_with_those_of_the_search_last(runs, scored_run):
    searched = [scored_run("point", (0.5, 0.5), status=CRASHED), scored_run("point", (0.5, 0.5), repeat=1)]
    assert Outcome(runs, ["nmi"], searched=searched).failed == [runs[1], searched[0]]


def test_runs_of_the_search_are_not_counted_as_results(runs, scored_run):
    outcome = Outcome(runs, ["nmi"], searched=[scored_run("point", (0.5, 0.5))])
    assert len(outcome) == len(list(outcome)) == 3


def test_lists_that_are_changed_later_do_not_change_it(runs):
    metrics = ["nmi"]
    outcome = Outcome(runs, metrics)
    runs.clear()
    metrics.append("purity")
    assert (len(outcome), outcome.metrics) == (3, ["nmi"])

from __future__ import annotations

from types import SimpleNamespace

import pytest
from compared_runs import nmi_run

from lcbench.experiment import tally
from lcbench.experiment.tally import Tally


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    """A clock that goes on only when told."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(tally, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_between_two_runs_the_time_that_is_left_counts_down_and_is_renewed_when_it_is_over(clock):
    run, runs = nmi_run("a", [0.5, None]), Tally(2)
    runs.hear(run, 0)
    clock.now += 40
    runs.end(run)
    assert runs.times() == "40 s elapsed, about 40 s left"
    clock.now += 25
    assert runs.times() == "65 s elapsed, about 15 s left"
    clock.now += 20
    assert runs.times() == "85 s elapsed, about 85 s left"


def test_the_time_that_is_left_is_not_known_before_something_is_done_nor_in_the_first_seconds_nor_at_the_end(clock):
    run, runs = nmi_run("a", [0.5, 0.5]), Tally(1)
    assert runs.times() == "0 s elapsed"
    runs.hear(run, 0)
    clock.now += 30
    runs.hear(run, 0)
    assert runs.times() == "30 s elapsed"
    runs.hear(run, 1)
    assert runs.times() == "30 s elapsed, about 30 s left"
    runs.end(run)
    assert runs.times() == "30 s elapsed"
    quick = Tally(2)
    quick.hear(run, 0)
    clock.now += 1
    quick.end(run)
    assert quick.left() == ""


def test_shares_of_all_runs_underway_count_as_done():
    runs = Tally(4)
    for name in ("a", "b"):
        run = nmi_run(name, [0.5, 0.5])
        runs.hear(run, 0)
        runs.hear(run, 1)
    assert (runs.done, runs.number) == (1.0, 1)
    runs.end(run)
    assert (runs.done, runs.number) == (1.5, 2)


def test_there_are_never_more_runs_finished_than_in_all():
    runs = Tally(1)
    for name in ("a", "b"):
        runs.end(nmi_run(name, [0.5, None]))
    assert (runs.finished, runs.total, runs.number, runs.done) == (2, 2, 2, 2)

"""A station carries out runs on tasks without labels, and ends with all that it started."""

from __future__ import annotations

import pytest
from plans import plan_runs

from lcbench.errors import ParameterError
from lcbench.running.dask_worker import (
    MissingError,
    Needs,
    Orders,
    Station,
    carry_out,
    close_station,
    open_station,
    stop_runs,
    take_stream,
)
from lcbench.running.executor import Limits
from lcbench.running.launching import FORKS
from lcbench.running.parcels import packed_task
from lcbench.running.settings import Surroundings

pytestmark = pytest.mark.skipif(not FORKS, reason="processes are not forked here")
ORDERS = Orders(Limits(), Surroundings())


@pytest.fixture(scope="module")
def station():
    made = Station(ORDERS)
    yield made
    made.close()


@pytest.fixture
def assigned(module_stream):
    (planned,) = plan_runs("kmeans:n_init=1", module_stream, baselines=False)
    return planned.assignment()


def test_a_station_gives_a_report_of_a_run_on_tasks_without_labels(station, assigned, module_stream):
    sent = [packed_task(labelled) for labelled in module_stream.tasks()]
    for labelled, (described, content) in zip(module_stream.tasks(), sent, strict=True):
        assert labelled.y.tobytes() not in content
        assert described["labelled"] is False
    with pytest.raises(MissingError):
        station.carry_out("k", assigned, "s", ["measure"])
    station.take("s", sent)
    report = station.carry_out("k", assigned, "s", ["measure"])
    assert (report.ending.status, [each.learned for each in report.steps]) == ("ok", [1, 2, 3])
    assert report.environment["packages"]["lcbench"]


def test_a_run_that_was_stopped_before_it_began_ends_at_once(station, assigned, module_stream):
    station.take("s", [packed_task(labelled) for labelled in module_stream.tasks()])
    station.stop(["stopped"])
    report = station.carry_out("stopped", assigned, "s", [])
    assert (report.ending.status, len(report.steps)) == ("crashed", 0)


def test_a_station_is_opened_once_and_closed_by_its_name(assigned):
    needs = Needs(("numpy", "no-such-thing"), ("lcbench",), ("json", "no_such_module"))
    found = open_station("mine", ORDERS, needs)
    assert (found["no-such-thing"], found["the module no_such_module"]) == (None, None)
    assert found == needs.found()
    take_stream("mine", "s", [])
    open_station("mine", ORDERS, needs)
    stop_runs("mine", ["k"])
    close_station("mine")
    with pytest.raises(MissingError):
        take_stream("mine", "s", [])
    with pytest.raises(MissingError):
        carry_out("mine", "k", assigned, "s", [], None)


def test_a_worker_that_cannot_seal_runs_says_so(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ParameterError, match="bubblewrap is not installed"):
        open_station("sealed", Orders(Limits(), Surroundings(), ("/nowhere",)), Needs(()))
    stop_runs("sealed", ["k"])

"""A station carries out runs from plain data, and ends with all that it started."""

from __future__ import annotations

import json
import pickle
from dataclasses import asdict

import pytest
from plans import plan_runs

from lcbench.running.dask_worker import Needs, Station, close_station, open_station, stop_runs, take_stream
from lcbench.running.executor import Limits
from lcbench.running.launching import FORKS
from lcbench.running.parcels import packed_task
from lcbench.running.reports import read_report

pytestmark = pytest.mark.skipif(not FORKS, reason="processes are not forked here")
ORDERS = {"limits": asdict(Limits()), "plugin_files": {}, "hash_seed": "0", "log_level": 30, "hidden": None}


@pytest.fixture(scope="module")
def station():
    made = Station(ORDERS)
    yield made
    made.close()


@pytest.fixture
def assigned(module_stream):
    (planned,) = plan_runs("kmeans:n_init=1", module_stream, baselines=False)
    return planned.assignment()


def tasks_of(stream):
    return [(json.dumps(each.described), each.content) for each in map(packed_task, stream.tasks())]


def test_a_station_gives_a_report_of_a_run_on_tasks_without_labels(station, assigned, module_stream):
    sent = tasks_of(module_stream)
    for labelled, (described, content) in zip(module_stream.tasks(), sent, strict=True):
        assert labelled.y.tobytes() not in content
        assert json.loads(described)["labelled"] is False
    assert not station.has("s")
    station.take("s", sent)
    report = read_report(assigned, station.carry_out("k", assigned, "s", ["measure"]))
    assert (report.ending.status, [each.learned for each in report.steps]) == ("ok", [1, 2, 3])
    assert report.environment["packages"]["lcbench"]


def test_a_run_that_was_stopped_before_it_began_ends_at_once(station, assigned, module_stream):
    station.take("s", tasks_of(module_stream))
    station.stop(["stopped"])
    report = read_report(assigned, station.carry_out("stopped", assigned, "s", []))
    assert (report.ending.status, len(report.steps)) == ("crashed", 0)


def test_a_station_is_opened_once_and_closed_by_its_name():
    needs = Needs(("numpy", "no-such-thing"), ("lcbench",), ("json", "no_such_module"))
    found = json.loads(open_station("mine", json.dumps(ORDERS), needs))["found"]
    assert (found["no-such-thing"], found["the module no_such_module"]) == (None, None)
    assert found == needs.found()
    assert take_stream("mine", "s", [])
    open_station("mine", json.dumps(ORDERS), needs)
    stop_runs("mine", ["k"])
    close_station("mine")
    assert not take_stream("mine", "s", [])


def test_what_a_worker_cannot_do_is_an_answer():
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    answer = json.loads(open_station("small", json.dumps({**ORDERS, "hidden": ["/nowhere"]}), Needs(())))
    close_station("small")
    assert answer.keys() <= {"found", "refused"}
    assert pickle.loads(pickle.dumps(Needs(("a",)))) == Needs(("a",))

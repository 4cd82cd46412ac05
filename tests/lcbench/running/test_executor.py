from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from plans import plan_runs
from small_methods import ByTurns

import lcbench
from lcbench.errors import ParameterError
from lcbench.records.record import OK
from lcbench.registry.events import Events
from lcbench.registry.host import plugin_host
from lcbench.running.executor import InProcess, Limits, Processes, streams_of


def test_every_stream_of_a_plan_is_listed_once():
    plan = plan_runs(["one-cluster", "random"], ["digits", "topics"], repeats=2)
    assert [stream.name for stream in streams_of(plan)] == ["digits", "topics"]
    assert [stream.name for stream in streams_of(plan.runs[:2])] == ["digits"]


def done(executor, plan, audits=None):
    events = Events(plugin_host().manager)
    audits = audits or {planned.run_id: ("measure",) for planned in plan}
    with executor.started(plan):
        return list(executor.execute(plan, [], audits, events))


def test_in_this_process_runs_are_done_in_the_order_of_the_plan_each_with_its_audits(blob_stream):
    plan = plan_runs(["random", "one-cluster"], blob_stream, repeats=2)
    audits = {planned.run_id: ("measure", "poison")[: 1 + planned.record.repeat] for planned in plan}
    records = done(InProcess(), plan, audits)
    assert [record.run_id for record in records] == [planned.run_id for planned in plan]
    assert [record.status for record in records] == [OK] * 4
    assert not any(record.isolated for record in records)
    assert [tuple(record.audit) for record in records] == [audits[record.run_id] for record in records]


def test_processes_give_the_same_labels_as_this_process_started_early_or_late(module_stream):
    plan = plan_runs(["random", "kmeans:n_init=1"], module_stream)
    here = {record.run_id: record.labels_digest for record in done(InProcess(), plan)}
    assert {record.run_id: record.labels_digest for record in done(Processes(Limits()), plan)} == here
    late = Processes(Limits())
    with late.started([]):
        found = late.execute(plan, [], dict.fromkeys(here, ("measure",)), Events(plugin_host().manager))
        assert {record.run_id: record.labels_digest for record in found} == here


class HereOnly(ByTurns):
    """Its labels tell the process that it runs in; no other process can import it."""

    def predict(self, task):
        return np.full(task.n_samples, os.getpid() % 7)


@pytest.fixture
def _in_a_notebook(monkeypatch):
    """HereOnly is a class of the main program."""
    monkeypatch.setattr(HereOnly, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "HereOnly", HereOnly, raising=False)


@pytest.mark.usefixtures("_in_a_notebook")
@pytest.mark.parametrize("options", [{"jobs": 1}, {"timeout": "1h"}], ids=str)
def test_a_class_that_only_this_process_knows_is_run_in_this_process(module_stream, caplog, options):
    (run,) = lcbench.run(HereOnly(), module_stream, **options)
    assert (run.status, run.isolated) == (OK, False)
    assert set(run.labels[0]["task-1"]) == {os.getpid() % 7}
    assert [message.partition(":")[0] for message in caplog.messages] == ["HereOnly"] * ("timeout" in options)


@pytest.mark.usefixtures("_in_a_notebook")
def test_a_class_that_only_this_process_knows_is_not_run_if_it_was_to_be_sealed(module_stream):
    plan = plan_runs(HereOnly(), module_stream)
    events = Events(plugin_host().manager)
    with pytest.raises(ParameterError, match="HereOnly cannot be sealed, as no other process can import the class"):
        next(Processes(Limits(), hidden=[]).execute(plan.runs, [], {}, events))


def test_a_run_in_a_process_of_its_own_says_so_and_sees_another_process(module_stream):
    (record,) = done(Processes(Limits()), plan_runs(TellsProcess(), module_stream))
    assert (record.status, record.isolated, record.sealed) == (OK, True, False)
    assert set(record.labels[0]["task-1"]) != {os.getpid()}
    assert len(set(record.labels[2]["task-1"])) == 1


class TellsProcess(ByTurns):
    def predict(self, task):
        return np.full(task.n_samples, os.getpid())

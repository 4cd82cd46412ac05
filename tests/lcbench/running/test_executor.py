from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from small_methods import ByTurns

import lcbench
from lcbench.experiment.planning import plan_runs
from lcbench.records.record import OK
from lcbench.registry.events import Events
from lcbench.registry.host import plugin_host
from lcbench.running.executor import InProcess, Workers, can_be_sent, streams_of
from lcbench.running.worker_pool import Limits
from lcbench_baselines.kmeans import SingleTaskKMeans


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
    assert [tuple(record.audit) for record in records] == [audits[record.run_id] for record in records]


def test_workers_give_the_same_labels_as_this_process_started_early_or_late(module_stream):
    plan = plan_runs(["random", "kmeans:n_init=1"], module_stream)
    here = {record.run_id: record.labels_digest for record in done(InProcess(), plan)}
    assert {record.run_id: record.labels_digest for record in done(Workers(Limits(jobs=1)), plan)} == here
    late = Workers(Limits(jobs=1))
    with late.started([]):
        found = late.execute(plan, [], dict.fromkeys(here, ("measure",)), Events(plugin_host().manager))
        assert {record.run_id: record.labels_digest for record in found} == here


@pytest.mark.parametrize("module", ["__main__", "loaded_from_a_file_that_is_on_no_path"])
def test_a_worker_gets_only_methods_that_another_process_can_import(blob_stream, monkeypatch, module):
    class Local(SingleTaskKMeans):
        """A class that has no name outside of this function."""

    def sent(method) -> bool:
        return can_be_sent(plan_runs(method, blob_stream)[0])

    assert sent("l2sc:lam=2")
    assert sent(SingleTaskKMeans(n_init=1))
    assert not sent(Local())
    monkeypatch.setattr(SingleTaskKMeans, "__module__", module)  # as in a notebook, or loaded in a way of one's own
    monkeypatch.setitem(sys.modules, module, sys.modules["lcbench_baselines.kmeans"])
    assert not sent(SingleTaskKMeans(n_init=1))


class HereOnly(ByTurns):
    """Its labels tell the process that it runs in; no other process can import it."""

    def predict(self, task):
        return np.full(task.n_samples, os.getpid() % 7)


@pytest.mark.parametrize("options", [{"jobs": 1}, {"timeout": "1h"}], ids=str)
def test_a_class_that_only_this_process_knows_is_run_in_this_process(module_stream, monkeypatch, caplog, options):
    monkeypatch.setattr(HereOnly, "__module__", "__main__")  # as in a notebook
    monkeypatch.setattr(sys.modules["__main__"], "HereOnly", HereOnly, raising=False)
    (run,) = lcbench.run(HereOnly(), module_stream, **options)
    assert run.status == OK
    assert set(run.labels[0]["task-1"]) == {os.getpid() % 7}
    assert [message.partition(":")[0] for message in caplog.messages] == ["HereOnly"] * ("timeout" in options)

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

import lcbench
from lcbench.experiment.planning import plan_runs
from lcbench.records.record import OK
from lcbench.registry.events import Events
from lcbench.registry.host import plugin_host
from lcbench.running.code_fingerprint import code_of
from lcbench.running.executor import ExecutionOptions, _can_be_sent, execute_runs, streams_of
from lcbench_baselines.kmeans import SingleTaskKMeans


def test_every_stream_of_a_plan_is_listed_once():
    plan = plan_runs(["one-cluster", "random"], ["digits", "topics"], repeats=2)
    assert [stream.name for stream in streams_of(plan)] == ["digits", "topics"]
    assert [stream.name for stream in streams_of(plan.runs[:2])] == ["digits"]


def done(plan, audited=(), **execution):
    events = Events(plugin_host().manager)
    return list(execute_runs(plan, [], ExecutionOptions(**execution), events, dict(audited)))


def test_without_workers_runs_are_done_in_the_order_of_the_plan_and_record_their_code(blob_stream):
    plan = plan_runs(["random", "one-cluster"], blob_stream, repeats=2)
    records = done(plan)
    assert [record.run_id for record in records] == [planned.run_id for planned in plan]
    assert [record.status for record in records] == [OK] * 4
    assert [record.code for record in records] == [code_of(planned.method) for planned in plan]
    assert records[0].code["distribution"] == "lcbench"


def test_a_run_gets_the_audits_asked_for_and_those_it_had_before(blob_stream):
    plan = plan_runs(["random", "one-cluster"], blob_stream)
    first, second = done(plan, audited={plan[1].run_id: ("measure", "poison")})
    assert (set(first.audit), set(second.audit)) == ({"measure"}, {"measure", "poison"})


@pytest.mark.parametrize("module", ["__main__", "loaded_from_a_file_that_is_on_no_path"])
def test_a_worker_gets_only_methods_that_another_process_can_import(blob_stream, monkeypatch, module):
    class Local(SingleTaskKMeans):
        """A class that has no name outside of this function."""

    def sent(method) -> bool:
        return _can_be_sent(plan_runs(method, blob_stream)[0])

    assert sent("l2sc:lam=2")
    assert sent(SingleTaskKMeans(n_init=1))
    assert not sent(Local())
    monkeypatch.setattr(SingleTaskKMeans, "__module__", module)  # as in a notebook, or loaded in a way of one's own
    monkeypatch.setitem(sys.modules, module, sys.modules["lcbench_baselines.kmeans"])
    assert not sent(SingleTaskKMeans(n_init=1))


class HereOnly(lcbench.Clusterer):
    """A class that no other process can import."""

    setting = lcbench.Setting.SINGLE_TASK

    def partial_fit(self, task):
        self.labels_ = np.full(task.n_samples, os.getpid() % 7)
        return self

    def predict(self, task):
        return self.partial_fit(task).labels_


def test_a_class_that_only_this_process_knows_is_run_in_this_process(module_stream, monkeypatch):
    monkeypatch.setattr(HereOnly, "__module__", "__main__")  # as in a notebook
    monkeypatch.setattr(sys.modules["__main__"], "HereOnly", HereOnly, raising=False)
    (run,) = lcbench.run(HereOnly(), module_stream, jobs=1)
    assert run.status == OK
    assert set(run.labels[0]["task-1"]) == {os.getpid() % 7}

from __future__ import annotations

import sys

import pytest

from lcbench.errors import ParameterError
from lcbench.experiment.limits import make_limits
from lcbench.experiment.planning import plan_runs
from lcbench.records.record import OK
from lcbench.registry.events import Events
from lcbench.registry.host import plugin_host
from lcbench.running.code_fingerprint import code_of
from lcbench.running.executor import ExecutionOptions, _can_be_sent, execute_runs, streams_of
from lcbench.running.worker_pool import Limits
from lcbench_baselines.kmeans import SingleTaskKMeans


def test_limits_are_read_as_people_write_them():
    assert make_limits(1, 1, "1.5min", "2GB") == Limits(jobs=1, threads=1, timeout=90.0, memory=2_000_000_000)
    assert make_limits(1, 1, 2.5, 10**9) == Limits(jobs=1, threads=1, timeout=2.5, memory=10**9)
    assert make_limits(1, 1, None, None) == Limits()


@pytest.mark.parametrize("values", [("soon", None), (0, None), (None, "lots"), (None, -1), (True, None)])
def test_limits_that_are_none_are_refused(values):
    with pytest.raises(ParameterError, match="is not a"):
        make_limits(1, 1, *values)


def test_where_memory_cannot_be_limited_runs_go_without_and_that_is_said(monkeypatch, caplog):
    monkeypatch.setattr("lcbench.running.process_limits.can_limit_memory", lambda: False)
    assert make_limits(1, 1, None, "2GB").memory is None
    assert caplog.messages == ["Memory can be limited on Linux only: runs go without a limit here."]


def test_as_many_threads_as_cores_are_fair_and_more_are_not(monkeypatch, caplog):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    make_limits(2, 2, None, None)
    assert caplog.messages == []
    make_limits(3, 2, None, None)
    assert caplog.messages == [
        "3 jobs with 2 threads each are more than the 4 cores of this machine: times will not be fair."
    ]


def test_the_streams_of_a_plan_come_once_each():
    plan = plan_runs(["one-cluster", "random"], ["digits", "topics"], repeats=2)
    assert [stream.name for stream in streams_of(plan)] == ["digits", "topics"]
    assert [stream.name for stream in streams_of(plan.runs[:2])] == ["digits"]


def done(plan, audited=(), **execution):
    events = Events(plugin_host().manager)
    return list(execute_runs(plan, [], ExecutionOptions(**execution), events, dict(audited)))


def test_in_this_process_runs_are_made_in_the_order_of_the_plan_with_the_code_they_are_of(blob_stream):
    plan = plan_runs(["random", "one-cluster"], blob_stream, repeats=2)
    records = done(plan)
    assert [record.run_id for record in records] == [planned.run_id for planned in plan]
    assert [record.status for record in records] == [OK] * 4
    assert [record.code for record in records] == [code_of(planned.method) for planned in plan]
    assert records[0].code["distribution"] == "lcbench"


def test_a_run_is_audited_as_asked_and_as_it_was_before(blob_stream):
    plan = plan_runs(["random", "one-cluster"], blob_stream)
    first, second = done(plan, audited={plan[1].run_id: ("measure", "poison")})
    assert (set(first.audit), set(second.audit)) == ({"measure"}, {"measure", "poison"})


@pytest.mark.parametrize("module", ["__main__", "loaded_from_a_file_that_is_on_no_path"])
def test_a_worker_gets_what_another_process_can_make(blob_stream, monkeypatch, module):
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

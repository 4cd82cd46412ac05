"""Runs come to their end whatever happens to workers: they die, come later, differ, or are gone for good."""

from __future__ import annotations

import sys

import hostile_methods
import pytest

import lcbench
from lcbench.errors import ClusterError
from lcbench.records.record import CRASHED, OK
from lcbench.running import dask_dispatch

pytest.importorskip("distributed", reason="the extra dask is not installed")
from dask_processes import Nth, made, on

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are ended as on Linux")
FORTY = {
    "methods": ["kmeans:n_init=1", "random"], "streams": ["digits:tasks=3,per_class=8"], "order": "random",
    "repeats": 20, "solo": False, "baselines": False,
}  # fmt: skip


@pytest.mark.slow
def test_runs_of_which_some_lose_their_worker_are_those_of_one_machine(own_cluster):
    first, _ = own_cluster.start_worker(), own_cluster.start_worker()
    found = on(own_cluster, **FORTY, listeners=[Nth(13, lambda: own_cluster.kill(first))])
    assert len(found) == 40
    assert first.poll() is not None
    assert made(found) == made(lcbench.run(**FORTY, jobs=1))
    assert {(run.isolated, run.sealed) for run in found} == {(True, False)}
    assert all(run.cpu_seconds > 0 and run.peak_bytes > 0 and run.environment["packages"] for run in found)


@pytest.mark.slow
def test_a_run_that_kills_three_workers_is_recorded_as_crashed_and_others_go_on(own_cluster, module_stream):
    for _ in range(5):
        own_cluster.start_worker()
    methods = {"killer": hostile_methods.KillsTheDaskWorker()} | {
        f"good-{i}": hostile_methods.Good(shift=i) for i in range(6)
    }
    found = {run.label: run for run in on(own_cluster, methods, module_stream)}
    assert {label: run.status for label, run in found.items()} == dict.fromkeys(methods, OK) | {"killer": CRASHED}
    assert found["killer"].error.startswith("3 Dask workers went away while carrying it out")
    dead = sum(worker.poll() is not None for worker in own_cluster.workers)
    assert dead == 3


@pytest.mark.slow
def test_a_worker_that_comes_later_is_given_what_it_needs(own_cluster):
    own_cluster.start_worker()
    found = on(own_cluster, **FORTY, listeners=[Nth(3, own_cluster.start_worker)])
    assert {run.status for run in found} == {OK}


@pytest.mark.slow
def test_a_worker_that_comes_later_and_differs_is_left_out_with_a_warning(own_cluster, other_scipy, caplog):
    own_cluster.start_worker()

    def come() -> None:
        own_cluster.start_worker(PYTHONPATH=other_scipy)
        own_cluster.wait_for_workers(2)

    found = on(own_cluster, **FORTY, listeners=[Nth(3, come)])
    assert {run.status for run in found} == {OK}
    assert "A Dask worker that came later is left out: on tcp://" in caplog.text
    assert "scipy is 0.1" in caplog.text


@pytest.mark.slow
def test_a_cluster_without_workers_ends_the_command_and_keeps_what_ended(own_cluster, monkeypatch, tmp_path):
    monkeypatch.setattr(dask_dispatch, "SECONDS_FOR_WORKERS", 2.0)
    worker, out = own_cluster.start_worker(), tmp_path / "results"
    with pytest.raises(ClusterError, match="has no workers any more: start some, and the same command goes on"):
        on(own_cluster, **FORTY, out=out, listeners=[Nth(5, lambda: own_cluster.kill(worker))])
    own_cluster.start_worker()
    ended = []
    on(own_cluster, **FORTY, out=out, listeners=[Nth(1, lambda: ended.append(len(list(out.glob("runs/*.json")))))])
    assert ended[0] >= 5, "they were not made again"

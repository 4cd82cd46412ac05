"""Forty runs of three seconds on two Dask workers beside one process; runs wait, so that cores decide nothing."""

from __future__ import annotations

import sys
import time

import pytest
from making import make_stream

import lcbench

pytest.importorskip("distributed", reason="the extra dask is not installed")
from dask_processes import DaskProcesses
from small_methods import ByTurns

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are ended as on Linux")
RUNS, SECONDS = 40, 3.0


class Waits(ByTurns):
    """Takes its time with the first task."""

    def partial_fit(self, task):
        if task.name == "task-1":
            time.sleep(SECONDS)
        return super().partial_fit(task)


@pytest.mark.benchmark(group="cluster")
@pytest.mark.slow
def test_forty_runs_on_two_workers_over_one_process(benchmark, tmp_path, hold):
    stream, taken = make_stream(), {}

    def both():
        with DaskProcesses(tmp_path) as dask:
            for _ in range(2):
                dask.start_worker()
            for name, where in (
                ("cluster", {"executor": "dask", "scheduler": dask.address}), ("one process", {"jobs": 1})
            ):  # fmt: skip
                lcbench.run("random", stream, **where)  # the cluster is up, and so is the server
                start = time.perf_counter()
                lcbench.run(Waits(), stream, repeats=RUNS, solo=False, **where)
                taken[name] = time.perf_counter() - start

    benchmark.pedantic(both, rounds=1)
    ratio = taken["cluster"] / taken["one process"]
    print(
        f"\n{RUNS} runs of {SECONDS:g} s: {taken['cluster']:.1f} s on two workers, {taken['one process']:.1f} s in one"
    )
    hold(ratio, 0.6)

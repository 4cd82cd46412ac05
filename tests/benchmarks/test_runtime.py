"""How long the methods take on a whole stream, beside scikit-learn's SpectralClustering. One thread each."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering

import lcbench
from lcbench.running.threads import ThreadLimit
from lcbench_baselines import SingleTask

STREAM = "digits"
METHODS = ["l2sc", "stsc", "usc", "pooled-kmeans"]


def learn_all(make, tasks):
    method = make()
    for labelled in tasks:
        method.partial_fit(labelled.task)
    return method


def scikit_learn():
    return SingleTask(estimator=SpectralClustering(affinity="nearest_neighbors", n_neighbors=10))


@pytest.mark.benchmark(group=STREAM)
@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
@pytest.mark.parametrize("name", [*METHODS, "scikit-learn SpectralClustering"])
def test_learning_a_stream(benchmark, name):
    tasks = lcbench.load_stream(STREAM).tasks()
    make = scikit_learn if name.startswith("scikit") else lambda: lcbench.load_method(name)
    with ThreadLimit(1):
        method = benchmark(learn_all, make, tasks)
    assert len(method.labels_) == tasks[-1].task.n_samples


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

"""What it costs to measure what a method holds, beside what it costs to learn a task."""

from __future__ import annotations

import pytest

import lcbench
from lcbench.audit.memory import Memory
from lcbench.running.threads import ThreadLimit


@pytest.mark.benchmark(group="audit")
def test_measuring_a_step_costs_little_beside_learning_it(benchmark, hold):
    tasks = [labelled.task for labelled in lcbench.load_stream("webkb4-sim").tasks()]
    method = lcbench.load_method("l2sc")

    def before_the_last_step():
        memory = Memory(method)
        for task in tasks[:-1]:
            memory.after_step(method, task)
        return (memory,), {}

    def last_step(memory):
        memory.after_step(method, tasks[-1])
        return memory.result

    with ThreadLimit(1):
        learning = min(_seconds(method.partial_fit, task) for task in tasks)
        measured = benchmark.pedantic(last_step, setup=before_the_last_step, rounds=20)
    ratio = benchmark.stats.stats.median / learning
    benchmark.extra_info["of the time to learn a task"] = ratio
    print(f"\nmeasuring takes {ratio:.1%} of the time it takes to learn the quickest task")
    assert measured["complete"]
    assert len(measured["held_bytes"]) == len(tasks)
    hold(ratio, 0.1)


def _seconds(learn, task):
    from time import perf_counter

    start = perf_counter()
    learn(task)
    return perf_counter() - start

"""A report that was packed is read as it was; one that is anything else is refused."""

from __future__ import annotations

import numpy as np
import pytest
from plans import plan_runs

from lcbench.records.record import FAILED, OK
from lcbench.running.isolated_run import Ending
from lcbench.running.reports import packed_end, packed_step, read_report
from lcbench.running.steps import Learned
from lcbench.running.wire import WireError, packed

MEASURE = {
    "task_bytes": [10, 20], "clusters": [3, 3], "state_bytes_before": 5, "held_bytes": [1, 2], "reachable": [0, 1],
    "first_reachable": None, "complete": True, "seconds": 0.5,
}  # fmt: skip
LOG = {"level": 30, "name": "lcbench.x", "text": "careful"}


@pytest.fixture
def assigned(module_stream):
    (planned,) = plan_runs("kmeans", module_stream, order=["task-2", "task-1"], baselines=False)
    return planned.assignment()


def step(number, *tasks):
    labels = {name: np.arange(60) + i for i, name in enumerate(tasks)}
    return Learned(number, tasks[0], 1.0, 0.5, 0.25, 9, labels, [1.0, None])


def ending(**more):
    audit = {"measure": MEASURE, "poison": {"passed": False, "step": 2, "task": "a", "samples": 3, "seconds": 1.0}}
    return Ending(**{"audit": audit, "peak_bytes": 7, "cpu_seconds": 2.5, "processes_left": 1, **more})


def content(assigned, end=None, steps=None):
    steps = [step(1, "task-2"), step(2, "task-1", "task-2")] if steps is None else steps
    return [*(packed_step(assigned, each) for each in steps), packed_end(end or ending(), {"python": "3"}, [LOG])]


def test_a_report_is_read_as_it_was_packed(assigned):
    report = read_report(assigned, content(assigned))
    assert [(each.learned, each.task, list(each.labels)) for each in report.steps] == [
        (1, "task-2", ["task-2"]), (2, "task-1", ["task-1", "task-2"]),
    ]  # fmt: skip
    assert report.steps[1].labels["task-2"].tolist() == list(range(1, 61))
    assert report.steps[0].objective_trace == [1.0, None]
    assert (report.ending.status, report.ending.audit, report.ending.cpu_seconds) == (OK, ending().audit, 2.5)
    assert (report.environment, report.logs) == ({"python": "3"}, [LOG])
    failed = read_report(assigned, content(assigned, Ending(FAILED, "why", ["line"]), [step(1, "task-2")]))
    assert (failed.ending.status, failed.ending.error, failed.ending.traceback) == (FAILED, "why", ["line"])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda good: [],
        lambda good: good[:-1],
        lambda good: good[1:],
        lambda good: [good[0], *good],
        lambda good: [good[0][:-1], *good[1:]],
        lambda good: [good[0] + good[0], *good[1:]],
        lambda good: [good[0], "text", good[2]],
        lambda good: [good[0], good[0], good[2]],
        lambda good: [*good[:2], packed({"status": "fine"})],
        lambda good: [*good[:2], packed({"status": OK, "error": None, "traceback": [], "audit": {}})],
        lambda good: [*good[:2], good[2] + b"more"],
    ],
)
def test_anything_else_is_refused(assigned, wrong):
    with pytest.raises(WireError):
        read_report(assigned, wrong(content(assigned)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": "fine"}, {"error": 3}, {"peak_bytes": -1}, {"cpu_seconds": "x"}, {"processes_left": None},
        {"audit": {"measure": {}}}, {"audit": {"measure": MEASURE, "other": {}}},
        {"audit": {"measure": MEASURE, "poison": {"passed": 1}}},
        {"audit": {"measure": MEASURE, "poison": {"passed": True, "more": 1}}},
    ],
    ids=str,
)  # fmt: skip
def test_an_end_with_a_fact_that_is_none_is_refused(assigned, wrong):
    with pytest.raises(WireError):
        read_report(assigned, content(assigned, ending(**wrong)))

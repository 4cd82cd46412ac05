"""Runs whose scores a test writes down."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lcbench.record import RunRecord

TASKS = ("a", "b")


def scored(label: str, last: Sequence[float | None], **changes) -> RunRecord:
    """A run over a and b: `last` are their scores at the end by name; the first one was 0.1 lower before."""
    order = changes.get("order", TASKS)
    by_task = dict(zip(TASKS, last, strict=True))
    at_end = [by_task.get(task) for task in order]
    R = [[None if at_end[0] is None else at_end[0] - 0.1, None], at_end]
    facts = {
        "method": label, "revision": 1, "params": {}, "setting": "lifelong", "stream": "s", "stream_params": {},
        "stream_digest": "", "order": order, "seed": 0, "repeat": 0, "label": label, "stream_label": "s",
        "stream_tasks": TASKS, "scores": {"nmi": R}, "learn_seconds": [0.1, 0.1],
    }  # fmt: skip
    return RunRecord(**(facts | changes))


@pytest.fixture
def scored_run():
    return scored

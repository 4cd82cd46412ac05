"""How long a comparison of a thousand runs takes, beside `lcbench --help`."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from making import make_record
from many_runs import METRICS, TRACE, over_help, write_runs

from lcbench.records.record import RunRecord
from lcbench.records.store import RunStore

METHODS, STREAMS, ORDERS = 20, 5, 10
TASKS = ("task-1", "task-2", "task-3", "task-4")


def record(method: int, stream: int, repeat: int) -> RunRecord:
    generator = random.Random(f"{method} {stream} {repeat}")
    order = list(itertools.permutations(TASKS))[repeat]
    agreement = [[1.0 if j == i else generator.random() if j < i else None for j in range(4)] for i in range(4)]
    scores = {
        metric: [[method / 40 + generator.random() / 2 if j <= i else None for j in range(4)] for i in range(4)]
        for metric in METRICS
    }
    return make_record(
        f"method-{method}", order=order, params={"lam": 0.1}, stream=f"stream-{stream}", stream_params={"tasks": 4},
        stream_digest="1", repeat=repeat, finished=f"2026-01-01T00:00:{method:02}.000+00:00", scores=scores,
        agreement=agreement, objective_trace=[TRACE] * 4,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A thousand runs: twenty methods on five streams in ten orders."""
    places = itertools.product(range(METHODS), range(STREAMS), range(ORDERS))
    root = write_runs(tmp_path_factory.mktemp("thousand") / "results", itertools.starmap(record, places))
    assert len(RunStore(root).index()) == METHODS * STREAMS * ORDERS
    return root


@pytest.mark.benchmark(group="reports")
@pytest.mark.parametrize(
    ("arguments", "bound"),
    [((), 8), (("--against", "method-3"), 11), (("--format", "csv", "--against", "method-3"), 11)],
    ids=["tables", "against", "csv"],
)
def test_comparing_a_thousand_runs_over_help(benchmark, folder, arguments, bound, hold):
    seconds, ratio = over_help(benchmark, "compare", *arguments, "--results", folder)
    print(f"\ncompare {' '.join(arguments)} of 1,000 runs: {seconds:.3f} s, {ratio:.2f} times --help")
    hold(ratio, bound)

"""How long the page over a thousand runs takes, beside `lcbench --help`, and how large it is."""

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
MOST_BYTES = 8_000_000
TASKS = tuple(f"task-{i}" for i in range(6))


def record(method: int, stream: int, repeat: int) -> RunRecord:
    drawn = random.Random(f"{method} {stream} {repeat}")
    order = random.Random(repeat).sample(TASKS, len(TASKS))
    steps = range(len(TASKS))
    scores = {m: [[drawn.random() if j <= i else None for j in steps] for i in steps] for m in METRICS}
    return make_record(
        f"method-{method}", order=order, params={"lam": 1.0}, stream=f"stream-{stream}", stream_digest="1",
        repeat=repeat, stream_tasks=TASKS, finished=f"2026-01-01T{repeat:02}:00:00.000+00:00", scores=scores,
        learn_seconds=[drawn.random() for _ in steps], state_bytes=[drawn.randrange(10**6) for _ in steps],
        objective_trace=[TRACE for _ in steps],
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A thousand runs."""
    places = itertools.product(range(METHODS), range(STREAMS), range(ORDERS))
    root = write_runs(tmp_path_factory.mktemp("thousand") / "results", itertools.starmap(record, places))
    assert len(RunStore(root).index()) == 1000
    return root


@pytest.mark.benchmark(group="reports")
def test_the_page_of_a_thousand_runs_over_help(benchmark, folder, tmp_path, hold):
    page = tmp_path / "report.html"
    seconds, ratio = over_help(benchmark, "report", "--results", folder, "--out", page, warmup_rounds=0)
    size = page.stat().st_size
    print(f"\nreport of 1,000 runs: {seconds:.2f} s, {ratio:.1f} times --help, {size / 1e6:.2f} MB")
    assert size < MOST_BYTES
    hold(ratio, 20)

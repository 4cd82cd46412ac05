"""How long the page over a thousand runs takes, beside `lcbench --help`, and how large it is."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lcbench.contract.hashing import content_id
from lcbench.records.record import RunRecord
from lcbench.records.store import RunStore

METHODS, STREAMS, ORDERS, ROUNDS = 20, 5, 10, 3
MOST_BYTES = 8_000_000
TASKS = tuple(f"task-{i}" for i in range(6))
METRICS = ("purity", "nmi", "ri", "ari", "ami", "accuracy")
ENVIRONMENT = {"python": "3.11", "packages": {"numpy": "2"}}


def record(method: int, stream: int, repeat: int) -> RunRecord:
    drawn = random.Random(f"{method} {stream} {repeat}")
    order = tuple(random.Random(repeat).sample(TASKS, len(TASKS)))
    steps = range(len(TASKS))
    scores = {m: [[drawn.random() if j <= i else None for j in steps] for i in steps] for m in METRICS}
    return RunRecord(
        method=f"method-{method}", revision=1, params={"lam": 1.0}, setting="lifelong", stream=f"stream-{stream}",
        stream_params={}, stream_digest="1", order=order, seed=0, repeat=repeat, label=f"method-{method}",
        stream_label=f"stream-{stream}", stream_tasks=TASKS, finished=f"2026-01-01T{repeat:02}:00:00.000+00:00",
        scores=scores, learn_seconds=[drawn.random() for _ in steps], predict_seconds=[0.1 for _ in steps],
        metric_seconds=[0.1 for _ in steps], state_bytes=[drawn.randrange(10**6) for _ in steps],
        objective_trace=[[1 / (k + 1) for k in range(20)] for _ in steps],
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A thousand runs, written without care for the disk."""
    root = tmp_path_factory.mktemp("thousand") / "results"
    RunStore(root).prepare()
    environment = content_id(ENVIRONMENT)
    (root / "environments" / f"{environment}.json").write_text(json.dumps(ENVIRONMENT))
    for method in range(METHODS):
        for stream in range(STREAMS):
            for repeat in range(ORDERS):
                made = record(method, stream, repeat)
                text = json.dumps({**made.to_json(), "environment": environment})
                (root / "runs" / f"{made.run_id}.json").write_text(text)
    assert len(RunStore(root).index()) == 1000
    return root


def seconds(*arguments: object) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "lcbench", *map(str, arguments)], check=True, capture_output=True)
    return time.perf_counter() - start


@pytest.mark.benchmark(group="reports")
def test_the_page_of_a_thousand_runs_over_help(benchmark, folder, tmp_path, hold):
    page = tmp_path / "report.html"
    ours, empty = [], []

    def pair():
        empty.append(seconds("--help"))
        ours.append(seconds("report", "--results", folder, "--out", page))

    benchmark.pedantic(pair, rounds=ROUNDS)
    ratio = statistics.median(ours) / statistics.median(empty)
    benchmark.extra_info["over --help"] = ratio
    size = page.stat().st_size
    print(f"\nreport of 1,000 runs: {statistics.median(ours):.2f} s, {ratio:.1f} times --help, {size / 1e6:.2f} MB")
    assert size < MOST_BYTES
    hold(ratio, 20)

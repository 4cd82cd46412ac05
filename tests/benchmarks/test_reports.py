"""How long a comparison of a thousand runs takes, beside `lcbench --help`."""

from __future__ import annotations

import itertools
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

METHODS, STREAMS, ORDERS = 20, 5, 10
TASKS = ("task-1", "task-2", "task-3", "task-4")
METRICS = ("purity", "nmi", "ri", "ari", "ami", "accuracy")
ENVIRONMENT = {"python": "3.11", "packages": {"numpy": "2"}}
ROUNDS = 3


def record(method: int, stream: int, repeat: int) -> RunRecord:
    generator = random.Random(f"{method} {stream} {repeat}")
    order = list(itertools.permutations(TASKS))[repeat]
    agreement = [[1.0 if j == i else generator.random() if j < i else None for j in range(4)] for i in range(4)]
    scores = {
        metric: [[method / 40 + generator.random() / 2 if j <= i else None for j in range(4)] for i in range(4)]
        for metric in METRICS
    }
    return RunRecord(
        method=f"method-{method}", revision=1, params={"lam": 0.1}, setting="lifelong", stream=f"stream-{stream}",
        stream_params={"tasks": 4}, stream_digest="1", order=order, seed=0, repeat=repeat, label=f"method-{method}",
        stream_label=f"stream-{stream}", stream_tasks=TASKS, finished=f"2026-01-01T00:00:{method:02}.000+00:00",
        scores=scores, agreement=agreement, learn_seconds=[0.1] * 4, predict_seconds=[0.1] * 4,
        metric_seconds=[0.1] * 4, state_bytes=[1000] * 4, objective_trace=[[1 / (k + 1) for k in range(20)]] * 4,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A thousand runs: twenty methods on five streams in ten orders."""
    root = tmp_path_factory.mktemp("thousand") / "results"
    store = RunStore(root)
    store.prepare()
    environment = content_id(ENVIRONMENT)
    (root / "environments" / f"{environment}.json").write_text(json.dumps(ENVIRONMENT))
    for place in itertools.product(range(METHODS), range(STREAMS), range(ORDERS)):
        made = record(*place)
        (root / "runs" / f"{made.run_id}.json").write_text(json.dumps({**made.to_json(), "environment": environment}))
    assert len(store.index()) == METHODS * STREAMS * ORDERS
    return root


def seconds(*arguments: object) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "lcbench", *map(str, arguments)], check=True, capture_output=True)
    return time.perf_counter() - start


@pytest.mark.benchmark(group="reports")
@pytest.mark.parametrize(
    ("arguments", "bound"),
    [((), 8), (("--against", "method-3"), 11), (("--format", "csv", "--against", "method-3"), 11)],
    ids=["tables", "against", "csv"],
)
def test_comparing_a_thousand_runs_over_help(benchmark, folder, arguments, bound, hold):
    ours, empty = [], []

    def pair():
        empty.append(seconds("--help"))
        ours.append(seconds("compare", *arguments, "--results", folder))

    benchmark.pedantic(pair, rounds=ROUNDS, warmup_rounds=1)
    ratio = statistics.median(ours) / statistics.median(empty)
    benchmark.extra_info["over --help"] = ratio
    print(f"\ncompare {' '.join(arguments)} of 1,000 runs: {statistics.median(ours):.3f} s, {ratio:.2f} times --help")
    hold(ratio, bound)

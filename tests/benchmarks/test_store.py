"""How long the commands take on a results folder with ten thousand runs, beside `lcbench --help`."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lcbench.contract.hashing import content_id
from lcbench.records.record import RunRecord
from lcbench.records.store import RunStore

RUNS = 10_000
ROUNDS = 3
TASKS = ("task-1", "task-2", "task-3", "task-4")
METRICS = ("purity", "nmi", "ri", "ari", "ami", "accuracy")
ENVIRONMENT = {"python": "3.11", "packages": {"numpy": "2"}}


def record(number: int) -> RunRecord:
    R = [[(number % 100) / 100 + j / 1000 if j <= i else None for j in range(4)] for i in range(4)]
    return RunRecord(
        method=f"method-{number % 20}", revision=1, params={"lam": number / 7, "mu": 0.01, "solver": "paper"},
        setting="lifelong", stream=f"stream-{number % 10}", stream_params={"tasks": 4, "seed": 0}, stream_digest="1",
        order=TASKS, seed=0, repeat=number % 10, label=f"method-{number % 20}:lam={number / 7}",
        stream_label=f"stream-{number % 10}", finished=f"2026-01-01T{number % 24:02}:{number % 60:02}:00.000+00:00",
        scores=dict.fromkeys(METRICS, R), learn_seconds=[0.1] * 4, predict_seconds=[0.1] * 4,
        metric_seconds=[0.1] * 4, state_bytes=[1000] * 4, objective_trace=[[1 / (k + 1) for k in range(20)]] * 4,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Ten thousand runs, written without care for the disk, and no index yet."""
    root = tmp_path_factory.mktemp("many") / "results"
    RunStore(root).prepare()
    environment = content_id(ENVIRONMENT)
    (root / "environments" / f"{environment}.json").write_text(json.dumps(ENVIRONMENT))
    for number in range(RUNS):
        made = record(number)
        text = json.dumps({**made.to_json(), "environment": environment})
        (root / "runs" / f"{made.run_id}.json").write_text(text)
    return root


def seconds(*arguments: object) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "lcbench", *map(str, arguments)], check=True, capture_output=True)
    return time.perf_counter() - start


@pytest.mark.benchmark(group="results")
def test_the_index_that_is_there_over_the_one_that_is_made(benchmark, folder, hold):
    (folder / "index.json").unlink(missing_ok=True)
    start = time.perf_counter()
    made = RunStore(folder).index()
    making = time.perf_counter() - start
    assert len(made) == RUNS
    index = benchmark.pedantic(lambda: RunStore(folder).index(), rounds=ROUNDS)
    assert dict(index) == dict(made)
    reading = benchmark.stats.stats.median
    print(f"\nindex of {RUNS:,} runs: {reading:.3f} s as it is, {making:.3f} s when it must be made")
    hold(reading / making, 0.25)


@pytest.mark.benchmark(group="results")
@pytest.mark.parametrize(
    "arguments", [("list",), ("list", "--all"), ("list", "--json"), ("list", "--method", "method-3")], ids=" ".join
)
def test_listing_ten_thousand_runs_over_help(benchmark, folder, arguments, hold):
    RunStore(folder).index()
    ours, empty = [], []

    def pair():
        empty.append(seconds("--help"))
        ours.append(seconds("results", *arguments, "--results", folder))

    benchmark.pedantic(pair, rounds=ROUNDS, warmup_rounds=1)
    ratio = statistics.median(ours) / statistics.median(empty)
    benchmark.extra_info["over --help"] = ratio
    print(f"\nresults {' '.join(arguments)} of {RUNS:,}: {statistics.median(ours):.3f} s, {ratio:.2f} times --help")
    hold(ratio, 4)

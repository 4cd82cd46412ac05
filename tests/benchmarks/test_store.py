"""How long the commands take on a results folder with ten thousand runs, beside `lcbench --help`."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from making import make_record
from many_runs import METRICS, ROUNDS, TRACE, over_help, write_runs

from lcbench.records.record import RunRecord
from lcbench.records.store import RunStore

RUNS = 10_000
TASKS = ("task-1", "task-2", "task-3", "task-4")


def record(number: int) -> RunRecord:
    R = [[(number % 100) / 100 + j / 1000 if j <= i else None for j in range(4)] for i in range(4)]
    return make_record(
        f"method-{number % 20}:lam={number / 7}", order=TASKS, repeat=number % 10, stream=f"stream-{number % 10}",
        params={"lam": number / 7, "mu": 0.01, "solver": "paper"}, stream_params={"tasks": 4, "seed": 0},
        stream_digest="1", finished=f"2026-01-01T{number % 24:02}:{number % 60:02}:00.000+00:00",
        scores=dict.fromkeys(METRICS, R), objective_trace=[TRACE] * 4,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Ten thousand runs, and no index yet."""
    return write_runs(tmp_path_factory.mktemp("many") / "results", map(record, range(RUNS)))


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
    seconds, ratio = over_help(benchmark, "results", *arguments, "--results", folder)
    print(f"\nresults {' '.join(arguments)} of {RUNS:,}: {seconds:.3f} s, {ratio:.2f} times --help")
    hold(ratio, 4)

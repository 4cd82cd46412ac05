"""How long a stream of real text takes to be ready: the first time, and when its counted words are in the cache."""

from __future__ import annotations

import statistics
import time

import pytest

import lcbench

ROUNDS = 5


def seconds_to_load() -> float:
    start = time.perf_counter()
    lcbench.load_stream("webkb4").tasks()
    return time.perf_counter() - start


@pytest.mark.benchmark(group="streams")
@pytest.mark.usefixtures("webkb")
def test_a_second_run_starts_at_once(benchmark, tmp_path, monkeypatch, hold):
    cold, warm = [], []

    def pair():
        monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / str(len(cold))))
        cold.append(seconds_to_load())
        warm.append(seconds_to_load())

    benchmark.pedantic(pair, rounds=ROUNDS, warmup_rounds=1)
    ratio = statistics.median(warm) / statistics.median(cold)
    benchmark.extra_info["warm over cold"] = ratio
    print(f"\nwebkb4: {statistics.median(cold):.2f} s from the archive, {statistics.median(warm):.3f} s from the cache")
    hold(ratio, 0.2)

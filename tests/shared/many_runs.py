"""Results folders with very many runs, and how long commands take on them; for benchmarks."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lcbench.contract.hashing import content_id
from lcbench.records.record import RunRecord
from lcbench.records.run_files import run_content
from lcbench.records.store import RunStore

METRICS = ("purity", "nmi", "ri", "ari", "ami", "accuracy")
ENVIRONMENT = {"python": "3.11", "packages": {"numpy": "2"}}
TRACE = [1 / (k + 1) for k in range(20)]
ROUNDS = 3


def write_runs(root: Path, records: Iterable[RunRecord]) -> Path:
    """Write a folder with these runs, without care for the disk, and without an index."""
    RunStore(root).prepare()
    environment = content_id(ENVIRONMENT)
    (root / "environments" / f"{environment}.json").write_text(json.dumps(ENVIRONMENT))
    for made in records:
        (root / "runs" / f"{made.run_id}.json").write_bytes(run_content(made, environment))
    return root


def seconds_of(*arguments: object) -> float:
    """The time that a command takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "lcbench", *map(str, arguments)], check=True, capture_output=True)
    return time.perf_counter() - start


def over_help(benchmark: Any, *arguments: object, warmup_rounds: int = 1) -> tuple[float, float]:
    """The time that a command takes, and how many times that of `lcbench --help` this is."""
    ours, empty = [], []

    def pair() -> None:
        empty.append(seconds_of("--help"))
        ours.append(seconds_of(*arguments))

    benchmark.pedantic(pair, rounds=ROUNDS, warmup_rounds=warmup_rounds)
    ratio = statistics.median(ours) / statistics.median(empty)
    benchmark.extra_info["over --help"] = ratio
    return statistics.median(ours), ratio

"""Ten thousand tiny runs on a Dask cluster: what each costs in messages, memory, time and files.

`python tests/benchmarks/many_cluster_runs.py 10000` prints the figures of docs/cluster.md. A scheduler and two workers
are processes on this machine.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import psutil
from distributed.comm import tcp

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
from dask_processes import DaskProcesses

import lcbench
from lcbench.records.store import RunStore
from lcbench.running.dask_executor import _Scoring

TINY = {"methods": "random", "streams": "digits:tasks=2,per_class=2", "solo": False, "baselines": False}


def measured(runs: int, folder: Path) -> dict[str, float]:
    """What so many runs took, once the cluster is up and has carried out a few."""
    found: Counter[str] = Counter()

    def timed(what, function):
        def call(*arguments, **options):
            start = time.perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                found[what] += time.perf_counter() - start

        return call

    framed, read = tcp.to_frames, tcp.from_frames

    async def to_frames(*arguments, **options):
        frames = await framed(*arguments, **options)
        found["messages out"] += 1
        found["bytes out"] += sum(memoryview(frame).nbytes for frame in frames)
        return frames

    async def from_frames(frames, *arguments, **options):
        found["messages in"] += 1
        found["bytes in"] += sum(memoryview(frame).nbytes for frame in frames)
        return await read(frames, *arguments, **options)

    own = psutil.Process()
    with DaskProcesses(folder) as dask:
        for _ in range(2):
            dask.start_worker()
        dask.wait_for_workers(2)
        where = {"executor": "dask", "scheduler": dask.address}
        lcbench.run(**TINY, repeats=20, **where, out=folder / "before")
        scheduler = psutil.Process(dask.scheduler.pid)
        memory, its_memory = own.memory_info().rss, scheduler.memory_info().rss
        cpu, its_cpu = sum(own.cpu_times()[:2]), sum(scheduler.cpu_times()[:2])
        start = time.perf_counter()
        with (
            patch.object(tcp, "to_frames", to_frames),
            patch.object(tcp, "from_frames", from_frames),
            patch.object(_Scoring, "_scored", timed("scoring", _Scoring._scored)),
            patch.object(RunStore, "save", timed("writing", RunStore.save)),
        ):
            results = lcbench.run(**TINY, repeats=runs, **where, out=folder / "results")
        found["wall"] = time.perf_counter() - start
        found["CPU here"] = sum(own.cpu_times()[:2]) - cpu
        found["CPU of the scheduler"] = sum(scheduler.cpu_times()[:2]) - its_cpu
        found["memory here"] = own.memory_info().rss - memory
        found["memory of the scheduler"] = scheduler.memory_info().rss - its_memory
    assert len(results) == runs
    assert {run.status for run in results} == {"ok"}
    files = [path for path in (folder / "results").rglob("*") if path.is_file()]
    found["files"], found["bytes of files"] = len(files), sum(path.stat().st_size for path in files)
    return dict(found)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        found = measured(runs, Path(folder))
    print(f"{runs:,} runs on two workers, per run:")
    for what, value in sorted(found.items()):
        is_time = what in ("wall", "scoring", "writing") or what.startswith("CPU")
        print(f"  {what:26}{1000 * value / runs:10.2f} ms" if is_time else f"  {what:26}{value / runs:10.2f}")


if __name__ == "__main__":
    main()

"""A Dask scheduler and workers as processes of their own, on the loopback interface, without dashboards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import lcbench
from lcbench import hookimpl

TESTS = Path(__file__).parents[1]
SECONDS_TO_START = 60.0


class DaskProcesses:
    """A scheduler, and workers that are added one by one; inside `with`."""

    def __init__(self, folder: Path, *, port: int = 0, protocol: str = "tcp") -> None:
        self._folder = folder
        self._protocol = protocol
        self._file = folder / "scheduler.json"
        self._port = port
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self):
        self.start_scheduler()
        return self

    def __exit__(self, *exc):
        for process in (*self.workers, self.scheduler):
            self.kill(process)

    def start_scheduler(self) -> None:
        self._file.unlink(missing_ok=True)
        self.scheduler = self._start(
            "scheduler", "--protocol", self._protocol, "--host", "127.0.0.1", "--port", str(self._port),
            "--scheduler-file", str(self._file),
        )  # fmt: skip
        deadline = time.monotonic() + SECONDS_TO_START
        while not self._file.exists() or not self._file.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        self.address = json.loads(self._file.read_text())["address"]

    def start_worker(self, *, threads: int = 1, nanny: bool = False, **environment: str) -> subprocess.Popen[bytes]:
        process = self._start(
            "worker", self.address, "--host", "127.0.0.1", "--nthreads", str(threads), "--local-directory",
            str(self._folder), "--nanny" if nanny else "--no-nanny", "--memory-limit", "0", **environment,
        )  # fmt: skip
        self.workers.append(process)
        return process

    def wait_for_workers(self, count: int) -> None:
        """Wait until so many workers have come."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=SECONDS_TO_START)

    def _start(self, what: str, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        paths = [str(TESTS / folder) for folder in ("shared", "cheats")] + [str(TESTS.parent)]
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{what}", *words, "--no-dashboard", "--dashboard-address",
             "127.0.0.1:0"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment},
            stdout=subprocess.DEVNULL, stderr=(self._folder / f"{what}.log").open("ab"), start_new_session=True,
        )  # fmt: skip

    @staticmethod
    def kill(process: subprocess.Popen[bytes] | None) -> None:
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()


def on(dask: DaskProcesses, *arguments, **options):
    """Run an experiment on a cluster."""
    return lcbench.run(*arguments, executor="dask", scheduler=dask.address, **options)


class Nth:
    """Calls a function as the n-th run has ended."""

    def __init__(self, n, call):
        self._left, self._call = n, call

    @hookimpl
    def lcbench_run_finished(self, run):
        self._left -= 1
        if self._left == 0:
            self._call()


def made(results):
    """All of runs that must not depend on where they are made."""
    return [(run.run_id, run.labels_digest, run.scores, run.agreement, run.state_bytes, run.status) for run in results]

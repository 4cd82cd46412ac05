"""Starts a fresh process for each step of the audit `isolate`, and gets its answer."""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
from typing import Any

from lcbench.audit.label_check import NotImportableError, StepError
from lcbench.running.messages import MessageError, import_path, receive, send
from lcbench.running.process_limits import signal_name
from lcbench.running.provenance import STARTING_ENVIRONMENT
from lcbench.running.threads import VARIABLES

START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from lcbench.running.step_server import main; main()"
FORKS = sys.platform.startswith("linux")
SECONDS_TO_LEAVE = 1.0
_running: dict[tuple[int, int], StepProcesses] = {}  # by process id and number of threads


class StepProcesses:
    """Answers each request from a fresh process, which knows of no request before it."""

    def __init__(self, threads: int, *, forks: bool = FORKS) -> None:
        self._threads = threads
        self._forks = forks
        self._server: subprocess.Popen[bytes] | None = None

    def ask(self, what: str, state: bytes, generators: Any, *arguments: Any) -> tuple[Any, Any]:
        """The result of one request and the states of the global generators after it; StepError if the step fails."""
        server = self._started()
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            send(server.stdin, (what, import_path(), state, generators, *arguments))  # type: ignore[arg-type]
            kind, *answer = receive(server.stdout)  # type: ignore[arg-type]
        except MessageError:
            raise StepError(f"its process {self.close()}") from None
        except BaseException:  # such as Ctrl-C: the late answer must not be taken for that of the next request
            self.close()
            raise
        if not self._forks:
            self.close()
        if kind == "done":
            result, after = answer
            return result, after
        raise (NotImportableError if kind == "unknown" else StepError)(answer[0])

    def close(self) -> str:
        """End the server process, and return in words how it ended."""
        server, self._server = self._server, None
        if server is None:
            return "was not running"
        for pipe in (server.stdin, server.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        try:
            code = server.wait(SECONDS_TO_LEAVE)
        except subprocess.TimeoutExpired:
            server.kill()
            code = server.wait()
        return f"was ended by {signal_name(-code)}" if code < 0 else f"ended itself with exit code {code}"

    def _started(self) -> subprocess.Popen[bytes]:
        if self._server is not None and self._server.poll() is not None:
            self.close()  # a server ends with the thread that started it
        self._server = self._server or self._start()
        return self._server

    def _start(self) -> subprocess.Popen[bytes]:
        import json

        numbers = map(str, (os.getpid(), self._threads, int(self._forks)))
        return subprocess.Popen(
            [sys.executable, "-P", "-c", START, json.dumps(import_path()), *numbers],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**STARTING_ENVIRONMENT, **dict.fromkeys(VARIABLES, str(self._threads))},
        )


def step_processes(threads: int) -> StepProcesses:
    """The step processes of this process: their server learns nothing from requests, so that all runs can share it."""
    key = os.getpid(), threads
    if key not in _running:
        _running[key] = StepProcesses(threads)
        atexit.register(_running[key].close)
    return _running[key]

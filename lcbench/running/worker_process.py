"""Starts a worker process, sends it messages, keeps its output, and stops it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from lcbench.running import process_limits
from lcbench.running.messages import MessageError, import_path, packed, receive, write
from lcbench.running.threads import VARIABLES

START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from lcbench.running.worker import main; main()"
HASH_SEED = "PYTHONHASHSEED"  # so that sets of texts have the same order in all workers
OUTPUT_KEPT = 16_384
PIPE_HOLDS = 65_536
SECONDS_FOR_TRACEBACK = 0.5
SECONDS_TO_LEAVE = 2.0


class WorkerProcess:
    """A worker process in a session of its own. Its messages go to `inbox` as (worker, message); None means its end."""

    def __init__(self, threads: int, inbox: queue.SimpleQueue[tuple[WorkerProcess, Any]]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, json.dumps(import_path())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={HASH_SEED: "0", **os.environ, **dict.fromkeys(VARIABLES, str(threads))},
            start_new_session=True,  # Ctrl-C reaches the parent only, and the session can be killed as a whole
        )
        self._inbox = inbox
        self._output = bytearray()
        self._writing = threading.Lock()
        assert self._process.stderr is not None
        self._errors: int | None = self._process.stderr.fileno()
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._draining = threading.Thread(target=self._drain, daemon=True)
        self._listening.start()
        self._draining.start()

    @property
    def pid(self) -> int:
        """The id of the process, and of its session."""
        return self._process.pid

    def tell(self, message: Any) -> None:
        """Send a message without waiting for the worker to read it: one that hangs must not stop all others.

        If the worker has ended, that is reported to the inbox. Send the next message only after it has answered.
        """
        threading.Thread(target=self._write, args=(packed(message),), daemon=True).start()

    def take_output(self) -> str:
        """The last part of the output since the last call, including output still in the pipe."""
        with self._writing:
            if self._errors is not None and _waiting(self._errors, 0):
                self._keep(os.read(self._errors, PIPE_HOLDS))
            output = bytes(self._output)
            self._output.clear()
        return output.decode(errors="replace")

    def exit_code(self) -> int | None:
        """The exit code of a process that closed its pipe: negative is a signal, None means that it did not end.

        Kills what is left of its session, after which all output has been read.
        """
        try:
            code = self._process.wait(SECONDS_TO_LEAVE)
        except subprocess.TimeoutExpired:
            code = None
        self._end_all()
        self._draining.join(SECONDS_TO_LEAVE)
        return code

    def stop(self) -> None:
        """Kill the process and all it started, after half a second in which it prints its traceback."""
        if os.name == "posix":
            with contextlib.suppress(OSError):
                os.kill(self.pid, signal.SIGABRT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(SECONDS_FOR_TRACEBACK)
        self._end_all()
        self._process.wait()
        self._draining.join(SECONDS_TO_LEAVE)

    def kill(self) -> None:
        """Kill the process and all it started at once, and free its threads and pipes.

        A descendant that escaped may hold a pipe open: then the thread that reads it ends, and closes it, later.
        """
        self._end_all()
        self._process.wait()
        deadline = time.monotonic() + SECONDS_TO_LEAVE
        for thread in (self._listening, self._draining):
            thread.join(max(0.0, deadline - time.monotonic()))
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def leave(self) -> None:
        """Close the pipe to the process, upon which it ends by itself; kill it if it does not."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS_TO_LEAVE)
        self.kill()

    def _end_all(self) -> None:
        """Kill the session of the process, and descendants that left it."""
        if os.name != "posix":
            with contextlib.suppress(OSError):
                self._process.kill()
            return
        escaped = list(process_limits.tree(self.pid)) if self._process.returncode is None else []
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        for pid in escaped[1:]:  # they may have a session of their own
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def _write(self, content: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(MessageError):
            write(self._process.stdin, content)  # type: ignore[arg-type]

    def _listen(self) -> None:
        """Put the messages of the process into the inbox until its pipe ends."""
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            while True:
                try:
                    message = receive(pipe)  # type: ignore[arg-type]
                except MessageError:
                    break
                self._inbox.put((self, message))
        self._inbox.put((self, None))

    def _drain(self) -> None:
        """Read the output of the process until its pipe ends, so that it never blocks on printing."""
        assert self._process.stderr is not None
        with self._process.stderr:
            while self._errors is not None:
                if not hasattr(select, "poll"):  # where there is no poll, a pipe can only be read with waiting
                    part = os.read(self._errors, PIPE_HOLDS)
                    with self._writing:
                        self._keep(part)
                    continue
                _waiting(self._errors, None)
                with self._writing:
                    if _waiting(self._errors, 0):  # unless take_output has read it meanwhile
                        self._keep(os.read(self._errors, PIPE_HOLDS))

    def _keep(self, part: bytes) -> None:
        """Keep the last part of the output; no bytes mean the end of the pipe. The caller holds the lock."""
        self._output += part
        del self._output[:-OUTPUT_KEPT]
        if not part:
            self._errors = None


def _waiting(pipe: int | None, milliseconds: int | None) -> bool:
    """True if a pipe has something to read, or has ended; None milliseconds waits until then."""
    if pipe is None or not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    return bool(poll.poll(milliseconds))

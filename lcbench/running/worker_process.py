"""A worker as its parent sees it."""

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

from lcbench.running import process_limits as limits
from lcbench.running.messages import MessageError, packed, receive, write
from lcbench.running.threads import VARIABLES

START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from lcbench.running.worker import main; main()"
HASH_SEED = "PYTHONHASHSEED"  # the order of a set of texts must not differ between workers
OUTPUT_KEPT = 16_384
PIPE_HOLDS = 65_536
SECONDS_FOR_TRACEBACK = 0.5
SECONDS_TO_LEAVE = 2.0


class WorkerProcess:
    """A process of its own session. What it says is put on `inbox` as (worker, message); None is its end."""

    def __init__(self, threads: int, inbox: queue.SimpleQueue[tuple[WorkerProcess, Any]]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, json.dumps(_import_path())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={HASH_SEED: "0", **os.environ, **dict.fromkeys(VARIABLES, str(threads))},
            start_new_session=True,  # Ctrl-C is for the parent, and all that a method starts can be stopped with it
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
        """The number of the process, which is also that of its session."""
        return self._process.pid

    def tell(self, message: Any) -> None:
        """Send a message, without waiting for the worker to read it: one that hangs must not stop all.

        If the worker is gone its end is on its way to the inbox. It is told one thing at a time, and then answers.
        """
        threading.Thread(target=self._write, args=(packed(message),), daemon=True).start()

    def take_output(self) -> str:
        """The end of what the process printed since this was last asked for, with what is still in its pipe."""
        with self._writing:
            if self._errors is not None and _waiting(self._errors, 0):
                self._keep(os.read(self._errors, PIPE_HOLDS))
            output = bytes(self._output)
            self._output.clear()
        return output.decode(errors="replace")

    def exit_code(self) -> int | None:
        """How a process ended that has closed its end; negative is a signal. Output is complete then."""
        try:
            code = self._process.wait(SECONDS_TO_LEAVE)
        except subprocess.TimeoutExpired:
            code = None
        self._end_all()
        self._draining.join(SECONDS_TO_LEAVE)
        return code

    def stop(self) -> None:
        """End the process and all it started, now; it gets half a second to say where it was."""
        if os.name == "posix":
            with contextlib.suppress(OSError):
                os.kill(self.pid, signal.SIGABRT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(SECONDS_FOR_TRACEBACK)
        self._end_all()
        self._process.wait()
        self._draining.join(SECONDS_TO_LEAVE)

    def kill(self) -> None:
        """End the process and all it started without a word, and let go of all that is held for it.

        What has escaped may hold a pipe open: then its thread is left behind, which closes the pipe when it ends.
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
        """Let the process end by itself, which it does when there is nothing more to be told."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS_TO_LEAVE)
        self.kill()

    def _end_all(self) -> None:
        if os.name != "posix":
            with contextlib.suppress(OSError):
                self._process.kill()
            return
        escaped = list(limits.tree(self.pid)) if self._process.returncode is None else []
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        for pid in escaped[1:]:  # into a session of its own
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def _write(self, content: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(MessageError):
            write(self._process.stdin, content)  # type: ignore[arg-type]

    def _listen(self) -> None:
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
        assert self._process.stderr is not None
        with self._process.stderr:
            while self._errors is not None:
                if not hasattr(select, "poll"):  # there what is still in the pipe cannot be asked for
                    part = os.read(self._errors, PIPE_HOLDS)
                    with self._writing:
                        self._keep(part)
                    continue
                _waiting(self._errors, None)
                with self._writing:
                    if _waiting(self._errors, 0):  # unless somebody has asked for it meanwhile
                        self._keep(os.read(self._errors, PIPE_HOLDS))

    def _keep(self, part: bytes) -> None:
        """Keep the end of what was printed; nothing is the end of the pipe. With the lock held."""
        self._output += part
        del self._output[:-OUTPUT_KEPT]
        if not part:
            self._errors = None


def _waiting(pipe: int | None, milliseconds: int | None) -> bool:
    """Whether there is something to read in a pipe, or its end; None waits until there is."""
    if pipe is None or not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    return bool(poll.poll(milliseconds))


def _import_path() -> list[str]:
    return [entry or os.getcwd() for entry in sys.path]  # noqa: PTH109  a path as text is what sys.path holds

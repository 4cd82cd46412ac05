"""A process where there is no fork: a fresh one, without a supervisor."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lcbench.running.corners import remove_folder
from lcbench.running.parcels import Parcel
from lcbench.running.process import OUTPUT_KEPT, End
from lcbench.running.wire import ClosedError, PipeWire

SECONDS_TO_LEAVE = 10.0  # that a process may take to end by itself


class Spawned:
    """A process where there is no fork: the server's own program, without a supervisor."""

    def __init__(self, words: list[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
            start_new_session=True,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._wire = PipeWire(self._process.stdout, self._process.stdin)  # type: ignore[arg-type]
        self._corner: Path | None = None
        self._timer: threading.Timer | None = None
        self._deadline: float | None = None
        self._how = "ended"
        self._output = bytearray()
        self._draining = threading.Thread(target=self._drain, daemon=True)
        self._draining.start()

    def begin(self, role: str, corner: Path, timeout: float | None) -> None:
        """Say what the process is to be, and start its clock."""
        self.receive()  # the facts: it is ready
        self._corner = corner
        self.send({"role": role, "corner": str(corner)})
        if timeout is not None:
            self._stop_after(timeout, "timeout")

    def send(self, message: dict[str, Any], content: bytes = b"", parcels: Sequence[Parcel] = ()) -> None:
        """Send a message; ClosedError if the process has ended."""
        self._wire.send(message, content, parcels)

    def receive(self, seconds: float | None = None, most: int = 0) -> tuple[dict[str, Any], bytes]:
        """Wait for the next message; ClosedError if there is none; a process that takes too long is stopped."""
        timer = None if seconds is None else threading.Timer(seconds, self._stop, ("timeout",))
        if timer is not None:
            timer.start()
        try:
            message, content, _ = self._wire.receive(most)
        except ClosedError:
            if timer is not None and self._how == "timeout":
                raise TimeoutError from None
            raise
        finally:
            if timer is not None:
                timer.cancel()
        return message, content

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the clock of the timeout, while lcbench is busy with what the process sent."""
        if self._timer is None or self._deadline is None:
            yield
            return
        self._timer.cancel()
        left = self._deadline - time.monotonic()
        yield
        self._stop_after(max(left, 0.0), "timeout")

    def end(self) -> End:
        """Wait for the end of a process that has nothing more to say, and free what it used."""
        try:
            self._process.wait(SECONDS_TO_LEAVE)
        except subprocess.TimeoutExpired:
            self._stop("closed")
        return self.kill()

    def kill(self) -> End:
        """End the process and all in its session at once."""
        if self._timer is not None:
            self._timer.cancel()
        self._stop(self._how)
        status: int | None = self._process.wait()
        status = None if self._how != "ended" else status
        self._draining.join(SECONDS_TO_LEAVE)
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        if self._corner is not None:
            remove_folder(self._corner)
        return End(self._how, status, output=bytes(self._output).decode(errors="replace"))

    def stop(self) -> None:
        """Have the process and all in its session ended at once; may be called from another thread."""
        self._stop("ended")

    def _stop_after(self, seconds: float, how: str) -> None:
        self._deadline = time.monotonic() + seconds
        self._timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), self._stop, (how,))
        self._timer.daemon = True
        self._timer.start()

    def _stop(self, how: str) -> None:
        if self._process.poll() is None:
            self._how = how
        if os.name == "posix":
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def _drain(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as errors:
            while some := os.read(errors.fileno(), 65_536):
                self._output += some
                del self._output[:-OUTPUT_KEPT]

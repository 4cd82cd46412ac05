"""Watches one process after the other: limits it, ends it, and tells how it ended.

A supervisor is a fork of the clean server, and never reads what its processes are told, nor what they print. Each of
them is a fork of it, in a session and a folder of its own. What a process leaves behind becomes a child of the
supervisor, and is ended before the next one starts.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import time
import traceback
from collections.abc import Callable
from typing import Any

from lcbench.running import private_folders, process_limits, sealing

SECONDS_BETWEEN_LOOKS = 0.2  # at the memory
SECONDS_FOR_TRACEBACK = 0.5  # between the request to print it and the end
SECONDS_AFTER_CLOSING = 2.0  # that a process may go on after it has closed its wire
MOST_ORDER = 65_536
STOP, CLOSED = b"k", b"c"  # lcbench wants a process ended; it sees that the wire of a process is closed
PAUSE, GO_ON = b"p", b"g"  # lcbench is busy with what the process sent; it is done


def supervise(control: socket.socket, start: Callable[[str, int], int]) -> None:
    """Carry out the orders that come over `control`, one at a time, until it is closed.

    An order names a role and limits, and brings the process its wire and the pipe that it prints to. The process calls
    `start` with both, and ends with the exit code that this returns.
    """
    every = set(signal.valid_signals()) - {signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, every)  # a method may send its parent signals
    process_limits.adopt_orphans()
    woken, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    supervisor, standing = os.getpid(), process_limits.standing()
    control.sendall(b"h")  # says who it is: the receiver sees the id of its process
    while True:
        try:
            text, descriptors, _, _ = socket.recv_fds(control, MOST_ORDER, 2)
        except OSError:
            return
        if not text:
            return
        if len(descriptors) != 2:  # too late: the process it is about has ended
            continue
        wire, output = descriptors
        order = json.loads(text)
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                _become_watched(supervisor, order, output, (woken, wake, control.fileno()))
                code = start(order["role"], wire)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        os.close(wire)
        os.close(output)
        _Watch(pid, woken, control, order).to_the_end(standing)


def _become_watched(supervisor: int, order: dict[str, Any], output: int, theirs: tuple[int, ...]) -> None:
    """Give this process, a fork of the supervisor, a session, a folder, an output and limits of its own."""
    os.setsid()
    if order["private"]:
        private_folders.make_private(order["corner"])
    process_limits.die_with_parent(supervisor)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    for descriptor in (null, output, *theirs):
        os.close(descriptor)
    process_limits.leave_no_core_files()
    process_limits.let_others_look(order["role"] == "method")
    if order["sealed"]:
        sealing.give_up_rights()
    os.makedirs(order["corner"], exist_ok=True)  # noqa: PTH103  in a sealed process there is none yet
    os.chdir(order["corner"])
    if order["memory"] is not None:
        process_limits.limit_memory(order["memory"])


class _Watch:
    """Watches one process and its descendants until all have ended."""

    def __init__(self, pid: int, woken: int, control: socket.socket, order: dict[str, Any]) -> None:
        self._pid, self._woken, self._control = pid, woken, control
        self._memory: int | None = order["memory"]
        self._deadline: float | None = None if order["timeout"] is None else time.monotonic() + order["timeout"]
        self._next_look = 0.0
        self._paused: float | None = None
        self._end: dict[str, Any] = {"how": "ended"}
        self._status: int | None = None
        self._cpu = 0.0
        self._peak = 0
        self._closed = False
        self._left: set[int] = set()

    def to_the_end(self, standing: object) -> None:
        """Watch, end what is left, and report; also if the supervisor has not the `standing` any more that it had."""
        waiting = select.poll()
        waiting.register(self._woken, select.POLLIN)
        waiting.register(self._control, select.POLLIN)
        while not self._ended():
            why = self._over_limit()
            if why is not None:
                self._end |= why
                break
            ready = {descriptor for descriptor, _ in waiting.poll(self._milliseconds())}
            self._calm(ready)
            if self._control.fileno() in ready and not self._hear():
                break
        self._stop()
        counted = {
            "cpu_seconds": self._cpu, "peak_bytes": self._peak, "left": len(self._left),
            "spoiled": process_limits.standing() != standing,
        }  # fmt: skip
        with contextlib.suppress(OSError):
            self._control.sendall(json.dumps({**self._end, "status": self._status, **counted}).encode())

    def _calm(self, ready: set[int]) -> None:
        if self._woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._woken, 4096)

    def _ended(self) -> bool:
        """True if the watched process has ended; descendants that ended are taken note of as well."""
        while True:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return self._status is not None
            self._count(pid, status, used)

    def _count(self, pid: int, status: int, used: Any) -> None:
        self._cpu += used.ru_utime + used.ru_stime
        if pid == self._pid:
            self._status = os.waitstatus_to_exitcode(status)
            self._peak = used.ru_maxrss * 1024

    def _milliseconds(self) -> float | None:
        """The time until the next look at a limit."""
        times = [self._next_look] if self._memory is not None else []
        times += [] if self._deadline is None or self._paused is not None else [self._deadline]
        return min(max(0.0, min(times) - time.monotonic()) * 1000 + 1, 3.6e6) if times else None

    def _over_limit(self) -> dict[str, Any] | None:
        now = time.monotonic()
        if self._deadline is not None and self._paused is None and now >= self._deadline:
            return {"how": "closed" if self._closed else "timeout"}
        if self._memory is not None and now >= self._next_look:
            self._next_look = now + SECONDS_BETWEEN_LOOKS
            held = sum(map(process_limits.tree_resident_bytes, process_limits.children(os.getpid())))
            if held > self._memory:
                return {"how": "memory", "held": held}
        return None

    def _hear(self) -> bool:
        """Hear lcbench; False if the process is to be stopped now."""
        try:
            said = self._control.recv(16)
        except OSError:
            said = b""
        if said in (PAUSE, GO_ON):
            self._let_clock_run(said == GO_ON)
            return True
        if said != CLOSED:
            return False
        self._paused = None
        self._deadline = time.monotonic() + SECONDS_AFTER_CLOSING  # it is given a moment to end
        self._closed = True
        return True

    def _let_clock_run(self, goes_on: bool) -> None:
        """Stop the clock of the timeout while lcbench scores, which is not the method's time; or let it run again."""
        now = time.monotonic()
        if goes_on and self._paused is not None and self._deadline is not None:
            self._deadline += now - self._paused
        self._paused = None if goes_on else now

    def _stop(self) -> None:
        """End the process, if it has not ended, after it has printed its traceback; then all that it started."""
        if self._status is None:
            if self._end["how"] in ("timeout", "memory"):
                with contextlib.suppress(OSError):
                    os.kill(self._pid, signal.SIGABRT)
                self._wait(SECONDS_FOR_TRACEBACK)
            if self._status is None:
                with contextlib.suppress(OSError):
                    os.kill(self._pid, signal.SIGKILL)
                self._wait(None)
        else:
            self._end["how"] = "ended"
        while strangers := process_limits.children(os.getpid()):
            self._left.update(pid for pid in strangers if process_limits.state(pid) != "Z")
            for pid in strangers:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                self._count(*os.wait4(-1, 0))

    def _wait(self, seconds: float | None) -> None:
        """Wait until the watched process has ended, or so many seconds."""
        deadline = None if seconds is None else time.monotonic() + seconds
        waiting = select.poll()
        waiting.register(self._woken, select.POLLIN)
        while not self._ended():
            left = 1.0 if deadline is None else deadline - time.monotonic()
            if left <= 0:
                return
            self._calm({descriptor for descriptor, _ in waiting.poll(left * 1000)})

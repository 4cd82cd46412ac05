"""A process of the server, seen from lcbench: messages, what it prints, and its end."""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from lcbench.running import process_limits
from lcbench.running.parcels import Parcel
from lcbench.running.supervisor import CLOSED, GO_ON, PAUSE, STOP
from lcbench.running.wire import CHUNK, ClosedError, Reader, SocketWire

SECONDS_TO_REPORT = 60.0  # that a supervisor which is alive may take to say how its process ended, on a busy machine
SECONDS_TO_READ = 2.0  # for what it printed, after its end
SECONDS_BETWEEN_LOOKS = 2.0  # at a supervisor that says nothing
OUTPUT_KEPT = 16_384
HOW = ("ended", "timeout", "memory", "closed")
_CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class End:
    """The end of a process: `how` is ended, timeout, memory, closed or lost; `status` its exit code or minus a signal.

    CPU time and peak memory are those that the kernel counted; `left` is the number of processes it left behind. If
    its supervisor is `spoiled`, it was given other limits or another priority, and must not be used again.
    """

    how: str
    status: int | None = None
    cpu_seconds: float | None = None
    peak_bytes: int | None = None
    left: int = 0
    held: int = 0
    spoiled: bool = False
    output: str = ""

    @classmethod
    def parsed(cls, said: bytes) -> End:
        """The end that a supervisor reported; `lost` if that is no report."""
        try:
            found = json.loads(said)
            how, status = found["how"], found["status"]
            numbers = [float(found["cpu_seconds"]), int(found["peak_bytes"]), int(found["left"])]
            held, spoiled = int(found.get("held", 0)), bool(found.get("spoiled"))
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
            return cls("lost")
        if how not in HOW or not (status is None or (type(status) is int and -256 < status < 256)):
            return cls("lost")
        return cls(how, status, numbers[0], int(numbers[1]), int(numbers[2]), held, spoiled)


Freed: TypeAlias = "Callable[[Supervisor, End], None]"


class Supervisor:
    """The supervisor of processes, one at a time, seen from lcbench."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._pid: int | None = None
        control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)

    def fileno(self) -> int:
        """The descriptor that is ready when the supervisor has something to say; -1 if it is closed."""
        return self._control.fileno()

    def order(self, order: dict[str, Any], wire: socket.socket, output: int) -> None:
        """Have a process started; OSError if the supervisor has ended."""
        socket.send_fds(self._control, [json.dumps(order).encode()], [wire.fileno(), output])

    def tell(self, what: bytes) -> None:
        """Say that the process is to be stopped, or that its wire is closed."""
        with contextlib.suppress(OSError):
            self._control.sendall(what)

    def is_there(self, seconds: float) -> bool:
        """True as soon as the supervisor says so, and with that who it is; False if it does not in so many seconds."""
        self._control.settimeout(seconds)
        try:
            said, ancillary, _, _ = self._control.recvmsg(CHUNK, socket.CMSG_SPACE(_CREDENTIALS.size))
        except OSError:  # TimeoutError is one
            return False
        found = [data for _, kind, data in ancillary if kind == socket.SCM_CREDENTIALS]
        self._pid = _CREDENTIALS.unpack(found[0][: _CREDENTIALS.size])[0] if found else None
        return said == b"h"

    @property
    def is_stopped(self) -> bool:
        """True if somebody has stopped the supervisor, so that it watches no more."""
        return self._pid is not None and process_limits.state(self._pid) in "TtZ"

    @property
    def has_spoken(self) -> bool:
        """True if the supervisor has said how the process ended, or its end is there to be heard."""
        waiting = select.poll()
        waiting.register(self._control, select.POLLIN)
        return bool(waiting.poll(0))

    def hear(self) -> End:
        """Read the end of the process, which the supervisor has said."""
        try:
            return End.parsed(self._control.recv(CHUNK))
        except OSError:
            return End("lost")

    def kill(self) -> None:
        """End the supervisor, and all that is below it."""
        for pid in list(process_limits.tree(self._pid)) if self._pid else ():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self._pid = None  # it may be another process soon
        self.close()

    def close(self) -> None:
        """Let the supervisor end by itself."""
        self._control.close()


class Process:
    """A process of the server, seen from lcbench: messages to and from it, what it prints, and its end."""

    def __init__(self, connection: socket.socket, output: int, supervisor: Supervisor, freed: Freed) -> None:
        self._wire = SocketWire(connection)
        self._connection, self._output, self._supervisor = connection, output, supervisor
        self._freed = freed
        self._reader = Reader()
        self._printed = bytearray()
        self._end: End | None = None
        self._looked = time.monotonic()

    def send(self, message: dict[str, Any], content: bytes = b"", parcels: Sequence[Parcel] = ()) -> None:
        """Send a message; ClosedError if the process has ended."""
        self._wire.send(message, content, parcels)

    def receive(self, seconds: float | None = None, most: int = 0) -> tuple[dict[str, Any], bytes]:
        """Wait for the next message, which may have `most` bytes besides its JSON.

        ClosedError if there is none, TimeoutError if it takes longer than `seconds`.
        """
        deadline = math.inf if seconds is None else time.monotonic() + seconds
        while (found := self._reader.take(most)) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._look(left, wire=True)
        return found

    def stop(self) -> None:
        """Have the process and all it started ended at once; may be called from another thread."""
        if self._end is None:  # else its supervisor may have another process by now
            self._supervisor.tell(STOP)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the clock of the timeout, while lcbench is busy with what the process sent."""
        if self._end is None:
            self._supervisor.tell(PAUSE)
        yield
        if self._end is None:
            self._supervisor.tell(GO_ON)

    def forget(self) -> None:
        """In a fork of lcbench's process: let go of this process, which must notice the end of the original."""
        self._supervisor.close()
        self._connection.close()
        self._close_output()

    def end(self) -> End:
        """Wait for the end of a process that has nothing more to say, and free what it used."""
        return self._ended(CLOSED)

    def kill(self) -> End:
        """End the process and all it started at once."""
        return self._ended(STOP)

    def _look(self, seconds: float, *, wire: bool) -> None:
        """Wait, at most so many seconds, for bytes of the process, what it prints, or its end.

        ClosedError if there is nothing more to come over its wire: after its end only what it had sent is read.
        """
        waiting = select.poll()
        if wire:
            waiting.register(self._connection, select.POLLIN)
        if self._output >= 0:
            waiting.register(self._output, select.POLLIN)
        if self._end is None:
            waiting.register(self._supervisor, select.POLLIN)
        else:
            seconds = 0.0
        ready = {descriptor for descriptor, _ in waiting.poll(min(seconds, SECONDS_BETWEEN_LOOKS) * 1000)}
        if self._output in ready:
            self._keep_printed()
        if self._connection.fileno() in ready:
            self._reader.feed(self._arrived())
        elif self._supervisor.fileno() in ready:
            self._end = self._supervisor.hear()
        elif self._end is not None and not ready:
            raise ClosedError("end of messages")
        self._look_at_supervisor()

    def _look_at_supervisor(self) -> None:
        """Now and then, however much the process says: a supervisor that somebody stopped watches no more."""
        if self._end is None and time.monotonic() - self._looked > SECONDS_BETWEEN_LOOKS:
            self._looked = time.monotonic()
            if self._supervisor.is_stopped and not self._supervisor.has_spoken:
                self._end = End("lost")
                raise ClosedError("its supervisor was stopped")

    def _arrived(self) -> bytes:
        try:
            some = self._connection.recv(CHUNK)
        except OSError as error:
            raise ClosedError(str(error)) from error
        if not some:
            raise ClosedError("end of messages")
        return some

    def _keep_printed(self) -> None:
        """Keep the last part of what the process printed."""
        some = os.read(self._output, CHUNK)
        self._printed += some
        del self._printed[:-OUTPUT_KEPT]
        if not some:
            self._close_output()

    def _close_output(self) -> None:
        if self._output >= 0:
            os.close(self._output)
            self._output = -1

    def _ended(self, said: bytes) -> End:
        if self._end is None or self._connection.fileno() >= 0:
            self._supervisor.tell(said)
            deadline = time.monotonic() + SECONDS_TO_REPORT
            while self._end is None:
                with contextlib.suppress(ClosedError):
                    self._look(max(0.0, deadline - time.monotonic()), wire=False)
                if self._end is None and time.monotonic() >= deadline:
                    self._end = End("lost")
            if self._end.how == "lost":
                self._supervisor.kill()  # else it may go on printing
            deadline = time.monotonic() + SECONDS_TO_READ
            with contextlib.suppress(ClosedError):
                while self._output >= 0 and time.monotonic() < deadline:  # what was printed before the end
                    self._look(0.0, wire=False)
            self._close_output()
            self._connection.close()
            self._freed(self._supervisor, self._end)
            self._end = replace(self._end, output=bytes(self._printed).decode(errors="replace"))
        return self._end

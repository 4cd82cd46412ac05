"""Starts the processes of runs and of scoring from a clean server."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakSet

from lcbench.errors import RunFailedError
from lcbench.running import process_limits, sealing
from lcbench.running.corners import Corners, remove_folder
from lcbench.running.parcels import Parcel
from lcbench.running.process import End, Process, Supervisor
from lcbench.running.settings import HASH_SEED, Surroundings
from lcbench.running.spawned_process import Spawned
from lcbench.running.threads import VARIABLES
from lcbench.running.wire import ClosedError, SocketWire

START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from lcbench.running.server import main; main()"
FORKS = sys.platform.startswith("linux")
MOST_TRIES = 3
SECONDS_TO_LEAVE = 2.0
SECONDS_TO_START = 20.0  # that the server, once it is ready, may take to fork


_alive: WeakSet[Server] = WeakSet()


@atexit.register
def _close_all() -> None:
    for server in list(_alive):
        server.close()


def _forget_all() -> None:
    for server in list(_alive):
        server.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


class Server:
    """Starts processes, each a fork of a clean one; where there is no fork, each a fresh one, one started ahead.

    It may be used by several threads. A server that was killed is started again when it is needed. Its processes have
    the `surroundings` of this process, unless it is told those of another one, for which it works.
    """

    def __init__(
        self,
        threads: int,
        *,
        forks: bool = FORKS,
        sealed: Sequence[str] = (),
        surroundings: Surroundings | None = None,
    ) -> None:
        self._threads = threads
        self._forks = forks
        self._sealed = list(sealed)
        self._surroundings = surroundings
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._standby: Spawned | None = None
        self._facts: dict[str, Any] | None = None
        self._idle: list[Supervisor] = []
        self._running: WeakSet[Process] = WeakSet()
        self.corners = Corners()
        self._owner = os.getpid()
        _alive.add(self)

    def forget(self) -> None:
        """In a fork of this process: the server belongs to the original alone, and must notice its end."""
        for each in (*self._idle, self._control):
            if each is not None:
                each.close()
        for process in list(self._running):
            process.forget()

    def start(self) -> None:
        """Start the server without waiting until it is ready."""
        with self._lock:
            self._start()

    @property
    def facts(self) -> dict[str, Any]:
        """The numerical libraries of its processes, and the bytes that each needs before it does anything."""
        with self._lock:
            return self._ready()

    def _ready(self) -> dict[str, Any]:
        self._start()
        if self._facts is None:
            self._facts = self._first_message()
        return self._facts

    @property
    def is_sealed(self) -> bool:
        """True if its processes are sealed off."""
        return bool(self._sealed)

    @property
    def parcel_folder(self) -> Path | None:
        """The folder for the parcels to its processes; None where they are sealed memory."""
        return None if self._forks else self.corners.folder

    @property
    def has_private_folders(self) -> bool:
        """True if it can give a process private folders."""
        return bool(self.facts.get("private_folders"))

    def launch(
        self, role: str, job: Any, *, timeout: float | None = None, memory: int | None = None, private: bool = False
    ) -> Process | Spawned:
        """Start a process that is a `method` or does the `scoring`, and tell it its job.

        With `private` what it leaves in shared folders is gone when it ends, where that is possible.
        """
        try:
            process = self._forked(role, timeout, memory, private) if self._forks else self._spawned(role, timeout)
        except OSError as error:
            raise RunFailedError(
                f"A process for a run could not be started ({error.strerror or error}): the system has no more to give."
            ) from error
        around = self._surroundings or Surroundings()
        settings = {
            "import_path": absolute_path(),
            "plugin_files": dict(around.plugin_files),
            "environment": self.environment,
            "log_level": around.log_level,
        }
        folder = self.parcel_folder
        parcels = [Parcel.of([json.dumps(settings).encode()], folder), Parcel.of([pickle.dumps(job)], folder)]
        with contextlib.suppress(ClosedError):  # who waits for its first message finds out how it ended
            process.send({}, parcels=parcels)
        for parcel in parcels:
            parcel.close()
        return process

    def _spawned(self, role: str, timeout: float | None) -> Spawned:
        with self._lock:
            self._start()
            spawned, self._standby = self._standby, None
            self._start()
        assert spawned is not None
        spawned.begin(role, self.corners.new(), timeout)
        return spawned

    def _forked(self, role: str, timeout: float | None, memory: int | None, private: bool) -> Process:
        corner = self.corners.new()
        order = {
            "role": role,
            "timeout": timeout,
            "memory": memory,
            "sealed": bool(self._sealed),
            "private": private and self.has_private_folders,
            "corner": sealing.CORNER if self._sealed else str(corner),
        }
        ours, theirs = socket.socketpair(socket.AF_UNIX)
        printed, printing = os.pipe2(os.O_CLOEXEC)
        try:
            with theirs:
                supervisor = self._ordered(order, theirs, printing)
        except BaseException:
            ours.close()
            os.close(printed)
            raise
        finally:
            os.close(printing)
        process = Process(ours, printed, supervisor, partial(self._take_back, corner))
        self._running.add(process)
        return process

    def _ordered(self, order: dict[str, Any], wire: socket.socket, output: int) -> Supervisor:
        """A supervisor that has started the process: an idle one, or a new one."""
        for _ in range(MOST_TRIES):
            with self._lock:
                supervisor = self._idle.pop() if self._idle else self._new_supervisor()
            if supervisor.is_stopped:  # as it waited for this process
                supervisor.kill()
                continue
            try:
                supervisor.order(order, wire, output)
                return supervisor
            except OSError:  # it was killed
                supervisor.kill()
        raise RunFailedError("A process for a run could not be started: those that start it end by themselves.")

    def _new_supervisor(self) -> Supervisor:
        for _ in range(2):
            self._ready()
            assert self._control is not None
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs, contextlib.suppress(OSError):
                socket.send_fds(self._control, [b"s"], [theirs.fileno()])
            supervisor = Supervisor(ours)
            if supervisor.is_there(SECONDS_TO_START):
                return supervisor
            supervisor.close()
            self._stop_server()  # it was killed or stopped: another one is started
        raise RunFailedError("A process for a run could not be started: the server that starts them ends by itself.")

    def _take_back(self, corner: Path, supervisor: Supervisor, end: End) -> None:
        """Keep the supervisor of a process that has ended for the next one, unless it is lost or was sealed."""
        remove_folder(corner)
        if end.how == "lost":
            supervisor.kill()
        elif self._sealed or end.spoiled:
            supervisor.close()
        else:
            with self._lock:
                self._idle.append(supervisor)

    def close(self) -> None:
        """End the server."""
        if os.getpid() != self._owner:
            return
        with self._lock:
            self._stop()
        self.corners.close()

    def _start(self) -> None:
        if not self._forks:
            self._standby = self._standby or Spawned(self._words(-1), self.environment)
            return
        if self._process is not None and self._process.poll() is None:
            return
        self._stop_server()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  a pipe that nobody reads would be full one day
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # an order is read as a whole
        with theirs:
            self._process = subprocess.Popen(
                self._words(theirs.fileno()), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=self._errors, env=self.environment, pass_fds=[theirs.fileno()],
                start_new_session=True, preexec_fn=sealing.child_signals() if self._sealed else None,
            )  # fmt: skip
        self._control = ours

    def _words(self, descriptor: int) -> list[str]:
        start = [sys.executable, "-P", "-c", START, json.dumps(absolute_path())]
        return [*self._sealed, *start, str(descriptor), str(int(bool(self._sealed)))]

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its processes: that of this process, with its own number of threads."""
        left_out = sealing.LEADING_OUT if self._sealed else ()
        inherited = {name: value for name, value in os.environ.items() if name not in left_out}
        own = {HASH_SEED: (self._surroundings or Surroundings()).hash_seed}
        return {**inherited, **own, **dict.fromkeys(VARIABLES, str(self._threads))}

    def _first_message(self) -> dict[str, Any]:
        if not self._forks:
            from lcbench.running.threads import native_libraries

            return {"libraries": native_libraries(), "private_bytes": None}
        assert self._control is not None
        try:
            message, _, _ = SocketWire(self._control).receive()
        except ClosedError:
            assert self._process is not None
            self._process.wait()
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            raise RunFailedError(
                f"The server that starts the processes of runs could not be started{': ' + lines[-1] if lines else ''}."
            ) from None
        return message

    def _stop(self) -> None:
        while self._idle:
            self._idle.pop().close()
        self._stop_server()
        if self._standby is not None:
            self._standby.kill()
            self._standby = None

    def _stop_server(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            try:
                self._process.wait(SECONDS_TO_LEAVE)
            except subprocess.TimeoutExpired:
                # runs that go on have supervisors below the server, which are left alone; of bubblewrap it is a child
                server = self._process.pid
                for pid in list(process_limits.tree(server)) if self._sealed else [server]:
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                self._process.wait()
            self._errors.close()
            self._process = None
        self._facts = None


def absolute_path() -> list[str]:
    """The entries of `sys.path` that exist, in a zip file too, as absolute paths: processes start in another folder."""
    found = [Path(entry or ".").absolute() for entry in sys.path]
    return [str(path) for path in found if path.exists() or any(parent.is_file() for parent in path.parents)]


_servers: dict[tuple[int, int], Server] = {}


def shared_server(threads: int) -> Server:
    """The server of this process for runs with so many threads, shared by all experiments until the process ends."""
    key = os.getpid(), threads
    return _servers.get(key) or _servers.setdefault(key, Server(threads))  # other threads get the same one


def sealed_server(threads: int, hidden: Iterable[Path], surroundings: Surroundings | None = None) -> Server:
    """A server whose processes are sealed off and do not see what is `hidden`; to be closed after its experiment.

    It is not shared: what other experiments hide, and folders that were made since, would be seen in it.
    """
    words = sealing.bubblewrap(hidden, [sys.prefix, sys.base_prefix, *absolute_path()])
    sealing.check(words)
    return Server(threads, sealed=words, surroundings=surroundings)

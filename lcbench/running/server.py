"""The clean server: imports what runs need and no plugin, and forks their processes.

It never reads what its forks are told, so that each of them starts from the same memory. lcbench speaks to it over a
socket; where there is no fork the same program becomes one such process itself.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import select
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from lcbench.running import private_folders, process_limits, sealing
from lcbench.running.supervisor import supervise
from lcbench.running.wire import ClosedError, PipeWire, SocketWire, Wire

SECONDS_TO_LEAVE = 5.0  # that supervisors have for their end, when lcbench has ended


def main() -> None:
    """Serve until lcbench closes the socket. Arguments: the socket, or -1 to be one process itself; 1 if sealed."""
    number, sealed = int(sys.argv[-2]), sys.argv[-1] == "1"
    if number >= 0:  # who called lcbench may have ignored or blocked signals, which new processes inherit
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
    facts = load()
    if number >= 0 and not sealed:
        with tempfile.TemporaryDirectory() as corner:
            facts["private_folders"] = private_folders.can_be_private(corner)
    if number < 0:
        wire = _own_pipes()
        with contextlib.suppress(ClosedError):
            wire.send(facts)
            order, _, _ = wire.receive()
            os.chdir(order["corner"])
            os._exit(carry_out(order["role"], wire))
        os._exit(0)
    with socket.socket(fileno=number) as control:
        control.set_inheritable(False)
        server = _Server(control, sealed=sealed)
        server.serve(facts)
        server.wait()


def load() -> dict[str, Any]:
    """Import what every process needs, and no plugin; facts about that for lcbench."""
    with _not_imported("pandas"):  # scikit-learn would, though it needs it no more than runs do: a quarter of the time
        import sklearn.cluster  # noqa: F401

    import lcbench.audit.memory
    import lcbench.audit.poison
    import lcbench.contract.clusterer
    import lcbench.contract.hookspecs
    import lcbench.records.scoring
    import lcbench.registry.building
    import lcbench.running.harness
    import lcbench.running.method_process
    import lcbench.running.scoring_process  # noqa: F401
    from lcbench.audit.method_packages import note_imported_modules
    from lcbench.running.threads import ThreadLimit, native_libraries

    ThreadLimit(1)  # finds the libraries once for all forks
    note_imported_modules()
    libraries = native_libraries()
    gc.collect()
    gc.freeze()  # the memory that forks share stays shared
    return {"libraries": libraries, "private_bytes": process_limits.private_bytes()}


@contextlib.contextmanager
def _not_imported(package: str) -> Iterator[None]:
    """Inside, importing a package fails as if it were not installed; afterwards its first import works as ever."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[package]


class _Server:
    """Forks supervisors, which fork the processes of runs."""

    def __init__(self, control: socket.socket, *, sealed: bool) -> None:
        self._control = control
        self._sealed = sealed
        self._own_processes = sealed and sealing.can_own_processes()
        self._supervisors: set[int] = set()
        self._woken, self._wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

    def serve(self, facts: dict[str, Any]) -> None:
        """Fork a supervisor for each socket that comes, until there are no more."""
        process_limits.leave_no_core_files()
        process_limits.let_others_look(False)
        process_limits.adopt_orphans()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for lcbench
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)  # a child may end just before the next poll
        signal.signal(signal.SIGCHLD, lambda *_: None)
        SocketWire(self._control).send(facts)
        waiting = select.poll()
        waiting.register(self._woken, select.POLLIN)
        waiting.register(self._control, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in waiting.poll()}
            if self._woken in ready:
                os.read(self._woken, 4096)
                self._reap()
            if self._control.fileno() not in ready:
                continue
            try:
                text, descriptors, _, _ = socket.recv_fds(self._control, 16, 1)
            except OSError:
                return
            if not text:
                return
            for descriptor in descriptors:
                self._fork(descriptor)

    def wait(self) -> None:
        """Wait for the supervisors, which end as their sockets are closed; one that was stopped is killed."""
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        deadline = time.monotonic() + SECONDS_TO_LEAVE
        with contextlib.suppress(ChildProcessError):
            while time.monotonic() < deadline:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    time.sleep(0.02)
            for pid in list(process_limits.tree(os.getpid())):
                if pid != os.getpid():
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)

    def _fork(self, control: int) -> None:
        with contextlib.suppress(OSError):  # no more processes: lcbench sees that its socket is closed
            pid = os.fork()
            if pid == 0:
                self._become_supervisor(control)
            self._supervisors.add(pid)
        os.close(control)

    def _become_supervisor(self, control: int) -> None:
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.set_wakeup_fd(-1)
            os.close(self._woken)
            os.close(self._wake)
            self._control.close()
            if self._sealed:
                sealing.seal_again(own_processes=self._own_processes)
            with socket.socket(fileno=control) as orders:
                supervise(orders, lambda role, wire: carry_out(role, SocketWire(socket.socket(fileno=wire))))
        finally:
            os._exit(0)

    def _reap(self) -> None:
        """Take note of supervisors that ended; end what a killed one left behind."""
        with contextlib.suppress(ChildProcessError):
            while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                self._supervisors.discard(pid)
        for stray in set(process_limits.children(os.getpid())) - self._supervisors:
            with contextlib.suppress(OSError):
                os.kill(stray, signal.SIGKILL)


def carry_out(role: str, wire: Wire) -> int:
    """Be a method's process or a scoring process; the exit code."""
    faulthandler.enable()  # writes a crash to standard error, whose last part is kept
    if role == "method":
        from lcbench.running.method_process import main
    else:
        from lcbench.running.scoring_process import main
    try:
        main(wire)
    except ClosedError:
        return 1
    finally:
        for output in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # a method may have closed or replaced it
                output.flush()
    return 0


def _own_pipes() -> PipeWire:
    """Standard input and output as a wire, moved to where a method cannot read or print."""
    wire = PipeWire(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return wire

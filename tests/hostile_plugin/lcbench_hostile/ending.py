"""Methods that end in every way there is, and that end or stop the processes above them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import stat
import sys
import time

import numpy as np

from lcbench_hostile.base import Hostile, server, supervisor
from lcbench_hostile.forging import message
from lcbench_hostile.surroundings import daemonise


class Unusual(BaseException):
    """An exception that `except Exception` does not catch."""


class RaisesError(Hostile):
    """Raises an exception."""

    def attack(self, task) -> None:
        raise ValueError("no thanks")


class RaisesBaseException(Hostile):
    """Raises an exception that is no Exception."""

    def attack(self, task) -> None:
        raise Unusual("as you like")


class RaisesKeyboardInterrupt(Hostile):
    """Raises what Ctrl-C raises."""

    def attack(self, task) -> None:
        raise KeyboardInterrupt


class RaisesInRepr(Hostile):
    """Raises an exception whose text raises SystemExit."""

    def attack(self, task) -> None:
        class TextlessError(Exception):
            def __str__(self) -> str:
                raise SystemExit(3)

        raise TextlessError


class ExitsInPredict(Hostile):
    """Calls sys.exit in predict, after it has learned its first task."""

    def predict(self, task):
        if sys._getframe(1).f_code.co_name != "partial_fit":
            sys.exit(0)
        return super().predict(task)


class ExitsQuietly(Hostile):
    """Ends its process with exit code 0, as if all were well."""

    def attack(self, task) -> None:
        os._exit(0)


class Aborts(Hostile):
    """Aborts."""

    def attack(self, task) -> None:
        os.abort()


class Segfaults(Hostile):
    """Reads where no memory is."""

    def attack(self, task) -> None:
        ctypes.string_at(0)


class KillsItself(Hostile):
    """Sends itself SIGKILL."""

    def attack(self, task) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class StopsItself(Hostile):
    """Sends itself SIGSTOP: only a limit on time ends that."""

    def attack(self, task) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)


class HangsDeaf(Hostile):
    """Blocks every signal and never returns."""

    def attack(self, task) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        signal.signal(signal.SIGABRT, signal.SIG_IGN)
        while True:
            time.sleep(60)


class Recurses(Hostile):
    """Calls itself without end, with Python's own limit raised."""

    def attack(self, task) -> None:
        sys.setrecursionlimit(2_000_000_000)

        def again(depth: int) -> int:
            return max([depth], key=again)

        again(0)


class TakesMemory(Hostile):
    """Takes memory until there is no more; to be run with a limit."""

    def attack(self, task) -> None:
        self.taken_ = [np.ones(10_000_000) for _ in range(100)]


class InterruptsSupervisor(Hostile):
    """Sends its supervisor the signals that ask for an end."""

    def attack(self, task) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM, signal.SIGCHLD):
            os.kill(supervisor(), number)


class KillsSupervisor(Hostile):
    """Kills its supervisor, and has told the kernel not to let it die with it."""

    def attack(self, task) -> None:
        ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
        os.kill(supervisor(), signal.SIGKILL)
        while True:
            time.sleep(60)


class StopsSupervisor(Hostile):
    """Stops its supervisor, and goes on as if nothing were."""

    def attack(self, task) -> None:
        if task.name == "task-1":
            os.kill(supervisor(), signal.SIGSTOP)


class StopsSupervisorAndExits(Hostile):
    """Stops its supervisor and ends without a word, so that nobody says how it ended."""

    def attack(self, task) -> None:
        os.kill(supervisor(), signal.SIGSTOP)
        os._exit(0)


class StopsSupervisorAndHangs(Hostile):
    """Stops its supervisor, who looks at the time, and never returns."""

    def attack(self, task) -> None:
        os.kill(supervisor(), signal.SIGSTOP)
        while True:
            time.sleep(60)


class TerminatesServer(Hostile):
    """Asks the server to end."""

    def attack(self, task) -> None:
        if task.name == "task-1":
            os.kill(server(), signal.SIGTERM)


class KillsServer(Hostile):
    """Kills the server."""

    def attack(self, task) -> None:
        if task.name == "task-1":
            os.kill(server(), signal.SIGKILL)


class StopsServer(Hostile):
    """Stops the server, which then starts no more processes."""

    def attack(self, task) -> None:
        if task.name == "task-1":
            os.kill(server(), signal.SIGSTOP)


class KillsServerAndSupervisor(Hostile):
    """Leaves a daemon, and kills server and supervisor, which would have found it."""

    def attack(self, task) -> None:
        above = server(), supervisor()
        daemonise()
        ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
        for pid in above:
            os.kill(pid, signal.SIGKILL)
        while True:
            time.sleep(60)


class ForgesReport(Hostile):
    """Takes the supervisor's socket from it, as a debugger may, and reports an end of its own making."""

    def attack(self, task) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        handle = libc.syscall(434, supervisor(), 0)
        for descriptor in range(3, 64):
            taken = libc.syscall(438, handle, descriptor, 0)
            if taken >= 0 and stat.S_ISSOCK(os.fstat(taken).st_mode):
                with contextlib.suppress(OSError), socket.socket(fileno=taken) as report:
                    report.sendall(message({"how": "ended", "surprise": 1}))
        os._exit(0)

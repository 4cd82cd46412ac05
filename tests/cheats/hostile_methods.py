"""Methods that misbehave at their second task, which a worker must survive. Workers import this file by name."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import signal
import socket
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from small_methods import ByTurns


class Good(ByTurns):
    def partial_fit(self, task):
        self.met_ = getattr(self, "met_", 0) + 1
        if self.met_ == 2:
            self.misbehave(task)
        return super().partial_fit(task)

    def misbehave(self, task) -> None:
        """Do nothing; subclasses do."""


class Segfaults(Good):
    def misbehave(self, task) -> None:
        ctypes.string_at(0)


class LeavesByOsExit(Good):
    def misbehave(self, task) -> None:
        os._exit(7)


class Raises(Good):
    def misbehave(self, task) -> None:
        raise ValueError("not with this data")


class FloodsOutput(Good):
    def misbehave(self, task) -> None:
        for _ in range(20):
            os.write(1, b"x" * 1_000_000)
            print("y" * 1_000_000)
            print("z" * 1_000_000, file=sys.stderr)


class ReadsInput(Good):
    def misbehave(self, task) -> None:
        assert sys.stdin.read() == ""


class HangsInLapack(Good):
    def misbehave(self, task) -> None:
        matrix = np.random.default_rng(0).random((2000, 2000))
        while True:
            np.linalg.eigvals(matrix)


class EatsMemory(Good):
    """Asks for more and more without writing to it: the first touch of memory may be slow on a new machine."""

    def misbehave(self, task) -> None:
        kept = []
        while True:
            kept.append(np.empty(4_000_000))


class EatsMemoryInChildren(Good):
    def misbehave(self, task) -> None:
        while True:  # each stays below the limit; all together do not
            hold = "import time; kept = bytearray(b'x') * 150_000_000; time.sleep(60)"
            subprocess.Popen([sys.executable, "-c", hold])
            time.sleep(0.1)


class HoldsMuchInChildrenAndGoesOn(Good):
    """Starts two children that exceed 700 MB only together, and goes on learning tasks meanwhile."""

    def partial_fit(self, task):
        time.sleep(0.05)
        return super().partial_fit(task)

    def misbehave(self, task) -> None:
        hold = "import time; kept = bytearray(b'x') * 400_000_000; time.sleep(60)"
        self.children_ = [subprocess.Popen([sys.executable, "-c", hold]).pid for _ in range(2)]


class ClosesEverything(Good):
    def misbehave(self, task) -> None:
        os.closerange(3, 256)
        time.sleep(60)


class KillsItself(Good):
    def misbehave(self, task) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class Interrupts(Good):
    def misbehave(self, task) -> None:
        raise KeyboardInterrupt


class LeavesAChildBehind(Good):
    def misbehave(self, task) -> None:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
        raise ValueError(f"child {child.pid}")


class Warns(Good):
    def misbehave(self, task) -> None:
        warnings.warn("something is odd", UserWarning, stacklevel=2)


class HoldsMuch(Good):
    """Touches 300 MB for a moment."""

    def misbehave(self, task) -> None:
        np.ones(300_000_000 // 8)


class ClosesOutput(Good):
    def misbehave(self, task) -> None:
        sys.stdout.close()


class LogsBadly(Good):
    def misbehave(self, task) -> None:
        logging.getLogger("mine").warning("%d things", "many")


class LogsMuch(Good):
    def misbehave(self, task) -> None:
        for i in range(5000):
            logging.getLogger("mine").warning("message %d", i)


class LeavesAForkBehind(Good):
    """Ends its worker, while a process that it forked lives on."""

    def misbehave(self, task) -> None:
        if os.fork() == 0:
            time.sleep(120)
            os._exit(0)
        os._exit(7)


class ForksADaemon(Good):
    """Forks a process that leaves the session of its worker, and keeps its open files."""

    def misbehave(self, task) -> None:
        daemon = os.fork()
        if daemon == 0:
            os.setsid()
            time.sleep(120)
            os._exit(0)
        raise ValueError(f"child {daemon}")


class GoesByHash(Good):
    """Its labels depend on the order of a set of texts."""

    def predict(self, task):
        names = {f"sample {i}" for i in range(task.n_samples)}
        return np.array([int(name.split()[1]) % task.n_clusters for name in names])


class TriesToWrite(Good):
    def misbehave(self, task) -> None:
        task.X[0, 0] = 1.0


class Connects(Good):
    """Fails if it can connect to a port of this machine."""

    def __init__(self, *, shift=0, port=0):
        super().__init__(shift=shift)
        self.port = port

    def partial_fit(self, task):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5):
            raise RuntimeError("connected")
        return super().partial_fit(task)


class KillsTheDaskWorker(Good):
    """Kills the Dask worker that it is carried out for, and nothing else, where there is one."""

    def partial_fit(self, task):
        pid = os.getpid()
        while pid > 1:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            if b"dask_worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)
                time.sleep(60)
        return super().partial_fit(task)

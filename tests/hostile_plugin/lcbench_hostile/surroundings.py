"""Methods that change what a process has around it: filters, environment, signals, threads, children, files."""

from __future__ import annotations

import contextlib
import logging
import os
import resource
import signal
import socket
import sys
import tempfile
import threading
import warnings
from pathlib import Path

import numpy as np

from lcbench_hostile.base import Hostile


class WarningsBecomeErrors(Hostile):
    """Turns every warning into an error."""

    def attack(self, task) -> None:
        warnings.simplefilter("error")


class NumpyRaises(Hostile):
    """Has numpy raise where it would warn."""

    def attack(self, task) -> None:
        np.seterr(all="raise")


class ChangesEnvironment(Hostile):
    """Changes threads, hash seed, paths and lcbench's own variables."""

    def attack(self, task) -> None:
        os.environ.update(
            OMP_NUM_THREADS="64", PYTHONHASHSEED="7", PATH="/nowhere", LCBENCH_CACHE="/nowhere",
            LCBENCH_PLUGINS="hostile", LCBENCH_OFFLINE="0", PYTHONPATH="/nowhere", TMPDIR="/nowhere",
        )  # fmt: skip
        sys.path.clear()


class ClearsEnvironment(Hostile):
    """Removes every variable of the environment."""

    def attack(self, task) -> None:
        os.environ.clear()


class ChangesFolderAndMask(Hostile):
    """Goes to the root folder, and lets nobody read the files made from now on."""

    def attack(self, task) -> None:
        os.chdir("/")
        os.umask(0o777)


class LowersLimits(Hostile):
    """Allows itself no more open files, and is as nice as can be."""

    def attack(self, task) -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        os.nice(19)


class IgnoresSignals(Hostile):
    """Ignores every signal that can be ignored, and leaves a timer."""

    def attack(self, task) -> None:
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)


class EndsByAlarm(Hostile):
    """Is ended by a timer that it set itself."""

    def attack(self, task) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        signal.pause()


class LeavesThreads(Hostile):
    """Leaves threads that are busy and never end."""

    def attack(self, task) -> None:
        def spin() -> None:
            while True:
                sum(range(1000))

        for _ in range(3):
            threading.Thread(target=spin, daemon=False).start()


class LeavesChild(Hostile):
    """Leaves a child that sleeps."""

    def attack(self, task) -> None:
        if not hasattr(self, "left_"):
            self.left_ = True
            sleep_in_fork()


class LeavesDaemon(Hostile):
    """Leaves a process that went through setsid and two forks, and holds no file open."""

    def attack(self, task) -> None:
        if not hasattr(self, "left_"):
            self.left_ = True
            daemonise()


class ForksMany(Hostile):
    """Leaves fifty processes, each a child of the one before."""

    def attack(self, task) -> None:
        if hasattr(self, "left_"):
            return
        self.left_ = True
        told, tell = os.pipe()
        if os.fork() == 0:
            for _ in range(49):
                if os.fork():
                    break
            else:
                os.write(tell, b"x")
            while True:
                signal.pause()
        os.read(told, 1)


class LeavesFiles(Hostile):
    """Leaves files and folders that cannot be read, in its folder and in that for temporary files."""

    def attack(self, task) -> None:
        for parent in (Path.cwd(), Path(tempfile.gettempdir())):
            folder = parent / f"locked-{task.name}" / "deep"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "file").write_text("x")
            (parent / "link").unlink(missing_ok=True)
            (parent / "link").symlink_to("/")
            folder.chmod(0)
            folder.parent.chmod(0)


class ReplacesItsFolder(Hostile):
    """Puts a link to a folder of the user's in the place of its own folder."""

    def attack(self, task) -> None:
        corner = Path.cwd()
        target = os.environ.get("HOSTILE_PRECIOUS")
        if target is not None and corner.parent.name.startswith("lcbench-run-"):
            corner.rename(corner.with_name("moved"))
            corner.symlink_to(target)
            os.chdir(target)


class ReplacesTheFolderOfAll(Hostile):
    """Removes the folder that holds the folders of all runs."""

    def attack(self, task) -> None:
        import shutil

        if Path.cwd().parent.name.startswith("lcbench-run-"):  # and never a folder of the user's
            shutil.rmtree(Path.cwd().parent, ignore_errors=True)


class SilencesLogging(Hostile):
    """Disables logging, and closes its outputs."""

    def attack(self, task) -> None:
        logging.disable(logging.CRITICAL)
        sys.stdout.close()
        sys.stderr.close()


class ClosesAllFiles(Hostile):
    """Closes every open file, its wire to lcbench among them."""

    def attack(self, task) -> None:
        os.closerange(0, 4096)


class OpensPort(Hostile):
    """Listens on a port, and leaves a child that goes on listening."""

    def attack(self, task) -> None:
        if not hasattr(self, "left_"):
            self.left_ = True
            with socket.create_server(("127.0.0.1", 0)):
                sleep_in_fork()


def sleep_in_fork() -> int:
    """A child that does nothing; its id."""
    pid = os.fork()
    if pid == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        while True:
            signal.pause()
    return pid


def daemonise() -> None:
    """Leave a process without parent, session and open files, that dies of no polite signal."""
    told, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.write(tell, b"x")
        os.closerange(0, 4096)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        while True:
            signal.pause()
    os.read(told, 1)

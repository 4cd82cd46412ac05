"""Methods that look for the true classes: in objects, frames, memory, files and in lcbench itself."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import inspect
import json
import os
import socket
import sys
import tempfile
from pathlib import Path

import numpy as np

from lcbench_hostile.base import Hostile, Thief, ancestors, is_marked, say
from lcbench_hostile.searching import found_in_files, found_in_memory


def classes_in(found: object, task) -> object:
    """The classes in an object, if it has any that fit the task."""
    from lcbench.contract.task import LabelledTask

    if isinstance(found, LabelledTask) and found.y is not None and len(found.y) == task.n_samples:
        return found.y
    if isinstance(found, np.ndarray) and found.dtype.kind in "iu" and found.shape == (task.n_samples,):
        return found if len(np.unique(found)) == task.n_clusters else None
    return None


class SearchesObjects(Thief):
    """Looks at every object that the garbage collector knows, and at what they refer to."""

    def stolen(self, task):
        known = gc.get_objects()
        for found in [*known, *gc.get_referents(*known)]:
            if (classes := classes_in(found, task)) is not None:
                return classes
        return None


class WalksFrames(Thief):
    """Looks at the variables of all functions that are being carried out, in all threads."""

    def stolen(self, task):
        frames = [entry.frame for entry in inspect.stack(0)] + list(sys._current_frames().values())
        for frame in frames:
            for found in [*frame.f_locals.values(), *frame.f_globals.values()]:
                if (classes := classes_in(found, task)) is not None:
                    return classes
                for inner in vars(found).values() if hasattr(found, "__dict__") else ():
                    if (classes := classes_in(inner, task)) is not None:
                        return classes
        return None


class LoadsStream(Thief):
    """Loads the stream as anyone may."""

    def stolen(self, task):
        import lcbench

        with contextlib.suppress(Exception):
            for labelled in lcbench.load_stream(os.environ["HOSTILE_STREAM"]).tasks():
                if labelled.name == task.name:
                    return labelled.y
        return None


class FolderThief(Thief):
    """Looks for arrays in a folder that a variable of the environment names."""

    variable = ""

    def stolen(self, task):
        for file in Path(os.environ.get(self.variable, "/nowhere")).rglob("*.npz"):
            with contextlib.suppress(Exception), np.load(file) as arrays:
                if np.array_equal(arrays["X"], task.X):
                    return arrays["y"]
        return None


class ReadsCache(FolderThief):
    """Looks for the task in lcbench's cache."""

    variable = "LCBENCH_CACHE"


class ReadsData(FolderThief):
    """Looks for the task among the user's raw data."""

    variable = "LCBENCH_DATA"


class ReadsResults(FolderThief):
    """Looks for the task in the results folder."""

    variable = "HOSTILE_RESULTS"


class ReadsDigits(Thief):
    """Looks the samples up in scikit-learn's digits, which every installation holds."""

    def stolen(self, task):
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
        known = {row.tobytes(): label for row, label in zip(X, y, strict=True)}
        with contextlib.suppress(KeyError, AttributeError):
            return np.array([known[np.round(row * 16 / (row.max() or 1)).tobytes()] for row in task.X])
        return None


class SearchesMemory(Hostile):
    """Searches its own memory and open files for the classes and, to show that it can, for the data."""

    def attack(self, task) -> None:
        if task.name != "task-2":  # once is enough: all tasks are here then
            return
        kept = os.memfd_create("control")
        os.write(kept, np.ascontiguousarray(task.X).tobytes())
        found = {"task": task.name, "memory": sorted(found_in_memory("self")), "files": sorted(found_in_files("self"))}
        os.close(kept)
        say(found)


class SearchesSupervisorAndServer(Hostile):
    """Searches the memory and files of the supervisor and of the server."""

    def attack(self, task) -> None:
        if task.name != "task-2":
            return
        above = [pid for pid in ancestors() if b"lcbench.running.server" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        found = set().union(*(found_in_memory(pid) | found_in_files(pid) for pid in above))
        say({"processes": len(above), "above": sorted(found)})


class SearchesAll(Hostile):
    """Searches the memory and files of every other process of the experiment that it can see."""

    def attack(self, task) -> None:
        if task.name != "task-2":
            return
        others = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        found = set()
        for pid in others:
            with contextlib.suppress(OSError):
                if pid != os.getpid() and is_marked(pid):
                    found |= found_in_memory(pid) | found_in_files(pid)
        say({"others": sorted(found)})


PLACES = ("/tmp", "/var/tmp", "/dev/shm")


class LeavesMessage(Hostile):
    """Leaves a message for the next run wherever it can write."""

    places = PLACES

    def attack(self, task) -> None:
        for place in (*self.places, ".", tempfile.gettempdir()):
            with contextlib.suppress(OSError):
                Path(place, f"hostile-{os.environ['HOSTILE_MARK']}").write_text("read me")


class ReadsMessage(Hostile):
    """Looks for the message of another run."""

    places = PLACES

    def attack(self, task) -> None:
        places = [*self.places, ".", tempfile.gettempdir()]
        found = [place for place in places if Path(place, f"hostile-{os.environ['HOSTILE_MARK']}").exists()]
        say({"messages": found})


def uncover() -> None:
    """Take away what was mounted over the folders for temporary files, layer by layer."""
    libc = ctypes.CDLL(None)
    os.chdir("/")
    for place in PLACES:
        for _ in range(3):
            libc.umount2(place.encode(), 2)


class LeavesMessageBelow(LeavesMessage):
    """Unmounts its own folders for temporary files, and leaves a message in what lies below them."""

    def attack(self, task) -> None:
        uncover()
        super().attack(task)


class ReadsMessageBelow(ReadsMessage):
    """Unmounts its own folders for temporary files, and looks for a message in what lies below them."""

    def attack(self, task) -> None:
        uncover()
        super().attack(task)


class LooksAround(Hostile):
    """Says what it can see, reach and write to."""

    def attack(self, task) -> None:
        folders = json.loads(os.environ["HOSTILE_FOLDERS"])
        seen = [str(found) for folder in folders if Path(folder).is_dir() for found in Path(folder).iterdir()]
        written = [place for place in (*folders, *json.loads(os.environ["HOSTILE_PLACES"])) if _can_write(place)]
        others = sum(entry.name.isdigit() for entry in Path("/proc").iterdir())
        found = {
            "seen": seen,
            "written": written,
            "corner": _can_write("."),
            "reached": _reaches(),
            "processes": others,
        }
        say(found)


def _can_write(place: str) -> bool:
    try:
        file = Path(place, f"hostile-{os.getpid()}")
        file.write_text("x")
        file.unlink()
    except OSError:
        return False
    return True


def _reaches() -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", int(os.environ["HOSTILE_PORT"])), 2):
        return True
    return False

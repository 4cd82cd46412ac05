"""Private folders for audited runs: what a process leaves there is gone when it ends.

They are folders that other processes have too. Such a process sees what lay in them before, and what it writes, changes
or deletes there is its own: a layer of overlayfs. So are its memory, semaphores and queues of System V and POSIX; keys
of the kernel are refused.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import sys
from pathlib import Path

from lcbench.running import sealing

SHARED = ("/tmp", "/var/tmp", "/dev/shm")  # and the home folder


def private_places() -> list[Path]:
    """The folders that become private: the shared ones and the home folder, without those that lie in another."""
    named = {Path(os.path.realpath(each)) for each in (*SHARED, Path.home())}
    there = {place for place in named if place.is_dir()}
    return sorted(place for place in there if not there & set(place.parents))


def make_private(corner: str) -> None:
    """Give this process, and those it starts, private folders; OSError if that is not possible.

    `corner` is an empty folder of its own, in which the layers are kept.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    places = private_places()
    sealing.enter_namespaces(libc, sealing.NEW_USER | sealing.NEW_MOUNTS | sealing.NEW_IPC)
    sealing.mount(libc, "tmpfs", corner, "tmpfs", sealing.NOSUID_NODEV)
    layers = [Path(corner, str(number)) for number in range(len(places))]
    for place, layer in zip(places, layers, strict=True):
        (layer / "work").mkdir(parents=True)
        (layer / "own").mkdir()
        (layer / "own").chmod(stat.S_IMODE(place.stat().st_mode))
    opened = [os.open(layer, os.O_PATH) for layer in layers]  # they are covered when the folder around them is
    for place, descriptor in zip(places, opened, strict=True):
        own = f"/proc/self/fd/{descriptor}"
        options = f"lowerdir={place},upperdir={own}/own,workdir={own}/work,userxattr"
        sealing.mount(libc, "overlay", str(place), "overlay", sealing.NOSUID_NODEV, options)
    for descriptor in opened:
        os.close(descriptor)
    sealing.give_up_rights()


def can_be_private(corner: str) -> bool:
    """True if a fork can have private folders, and still reads all that this process imports from."""
    readable = [path for path in sys.path if os.access(path, os.R_OK)]
    probe = os.fork()
    if probe == 0:
        code = 1
        with contextlib.suppress(BaseException):
            make_private(corner)
            code = 0 if all(os.access(path, os.R_OK) for path in readable) else 1
        os._exit(code)
    return os.waitpid(probe, 0)[1] == 0

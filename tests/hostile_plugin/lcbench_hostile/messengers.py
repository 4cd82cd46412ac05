"""Methods that leave messages for other runs, or that look for them: where sealed processes might share something."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import socket
import stat
import time
from pathlib import Path

from lcbench_hostile.base import Hostile, say

SECONDS_TO_MEET = 4.0
_ADD_KEY, _KEYCTL = {"aarch64": (217, 219)}.get(platform.machine(), (248, 250))
_SESSION, _READ, _JOIN = -3, 11, 1
SETTINGS = ("core_pattern", "hostname", "domainname")


class LeavesInParcel(Hostile):
    """Leaves a message in the position, the time, the mode and the attributes of the file that a task comes in."""

    def __init__(self) -> None:
        from lcbench.running.parcels import Parcel

        self.kept = kept = []
        closed = Parcel.close

        def close(parcel):
            if parcel.descriptor >= 0:
                kept.append(os.dup(parcel.descriptor))
            closed(parcel)

        Parcel.close = close

    def attack(self, task) -> None:
        for descriptor in self.kept:
            self.use(descriptor)

    def use(self, descriptor: int) -> None:
        for leave in (
            lambda: os.lseek(descriptor, 42, os.SEEK_SET),
            lambda: os.utime(descriptor, ns=(42, 42)),
            lambda: os.fchmod(descriptor, 0o642),
            lambda: os.setxattr(descriptor, "user.message", b"read me"),
        ):
            with contextlib.suppress(OSError):
                leave()

    def __getstate__(self):
        return {}


class ReadsParcel(LeavesInParcel):
    """Looks for a message in the file that a task comes in."""

    def attack(self, task) -> None:
        self.found = set()
        super().attack(task)
        say({"messages": sorted(self.found)})

    def use(self, descriptor: int) -> None:
        facts = os.fstat(descriptor)
        kept = {
            "position": os.lseek(descriptor, 0, os.SEEK_CUR) == 42,
            "time": facts.st_mtime_ns == 42,
            "mode": stat.S_IMODE(facts.st_mode) == 0o642,
        }
        with contextlib.suppress(OSError):
            kept["attributes"] = bool(os.getxattr(descriptor, "user.message"))
        self.found |= {name for name, is_there in kept.items() if is_there}


class TellsItself(Hostile):
    """Leaves a message in the file of each task, for its replays in audits, and gives other labels if it finds one."""

    found = False

    def __init__(self) -> None:
        self._watch()

    def __setstate__(self, state) -> None:
        self.__dict__.update(state)
        self._watch()

    def _watch(self) -> None:
        from lcbench.running.parcels import Parcel

        closed = Parcel.close

        def close(parcel):
            if parcel.descriptor >= 0:
                TellsItself.found |= os.fstat(parcel.descriptor).st_mtime_ns == 42
                os.utime(parcel.descriptor, ns=(42, 42))
            closed(parcel)

        Parcel.close = close

    def predict(self, task):
        return super().predict(task) * (not self.found)


def kernel(*words: object) -> int:
    """The answer of a system call; negative if it was refused."""
    return ctypes.CDLL(None).syscall(*words)


def rings() -> list[int]:
    """The ring of keys of the session, and those of the user that the kernel lists."""
    lines = Path("/proc/keys").read_text().splitlines()
    return [_SESSION, *(int(line.split()[0], 16) for line in lines if f" _uid.{os.getuid()}:" in line)]


class LeavesKey(Hostile):
    """Leaves a message as a key of the kernel, in all rings it can find."""

    def attack(self, task) -> None:
        name = f"hostile-{os.environ['HOSTILE_MARK']}".encode()
        for ring in rings():
            key = kernel(_ADD_KEY, b"user", name, b"read me", 7, ctypes.c_int(ring))
            kernel(_KEYCTL, 5, key, 0x3F3F0000)  # all processes of the user may read it
            kernel(_KEYCTL, 15, key, 60)  # seconds: nothing is left of the test


class ReadsKey(Hostile):
    """Looks for keys that another run left."""

    def attack(self, task) -> None:
        found = []
        for line in Path("/proc/keys").read_text().splitlines():
            if f"hostile-{os.environ['HOSTILE_MARK']}" in line:
                content = ctypes.create_string_buffer(7)
                if kernel(_KEYCTL, _READ, int(line.split()[0], 16), content, 7) > 0:
                    found.append(content.raw.decode())
        say({"messages": found})


class WaitsForWord(Hostile):
    """Listens for another run, at a name that is no file."""

    def attack(self, task) -> None:
        if task.name != "task-1":
            return
        heard = []
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(_meeting())
            listening.listen()
            listening.settimeout(SECONDS_TO_MEET)
            with contextlib.suppress(OSError):
                heard.append(listening.accept()[0].recv(7).decode())
        say({"messages": heard})


class SaysWord(Hostile):
    """Speaks to another run that listens."""

    def attack(self, task) -> None:
        deadline = time.monotonic() + SECONDS_TO_MEET
        while task.name == "task-1" and time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as speaking:
                speaking.connect(_meeting())
                speaking.sendall(b"read me")
                return
            time.sleep(0.05)


def _meeting() -> str:
    return f"\0hostile-{os.environ['HOSTILE_MARK']}"


class AsksOutside(Hostile):
    """Asks a process outside by a socket in the file system."""

    def attack(self, task) -> None:
        heard = []
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(SECONDS_TO_MEET)
            asking.connect(os.environ["HOSTILE_SOCKET"])
            heard.append(asking.recv(7).decode())
        say(
            {
                "messages": heard,
                "variables": [name for name in ("SSH_AUTH_SOCK", "XDG_RUNTIME_DIR") if name in os.environ],
            }
        )


class ChangesMachine(Hostile):
    """Opens settings of the kernel to write them, which it does not, and sets the mode of a device to what it is."""

    def attack(self, task) -> None:
        written = []
        for name in (*(f"/proc/sys/kernel/{name}" for name in SETTINGS), "/proc/sys/vm/overcommit_memory"):
            with contextlib.suppress(OSError):
                os.close(os.open(name, os.O_WRONLY))
                written.append(name)
        with contextlib.suppress(OSError):
            os.chmod(os.devnull, stat.S_IMODE(os.stat(os.devnull).st_mode))  # noqa: PTH101, PTH116
            written.append(os.devnull)
        say({"written": written})

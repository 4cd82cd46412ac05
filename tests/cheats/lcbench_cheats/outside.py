"""Places outside of the method and of its package in which tasks can be hidden.

Each has a function that adds bytes to what is there, and one that gives back all of it; both fail with OSError, or do
nothing, where the place cannot be used.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import socket
import sys
import tempfile
import threading
import time
from multiprocessing import resource_tracker, shared_memory
from pathlib import Path

import numpy as np

from lcbench.contract.task import Task
from lcbench_cheats import hiding

NAME = "lcbench-cheat"
ROOM = 1 << 16
KEY = 0x1CBE7C4
SECONDS_TO_SERVE = 30.0
_ADD_KEY, _KEYCTL = {"aarch64": (217, 219)}.get(platform.machine(), (248, 250))
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p


def mark() -> str:
    """The name of what is left behind: that of this test alone."""
    return f"{NAME}-{os.environ.get('LCBENCH_CHEAT', 'x')}"


def called(result):
    if result in (-1, None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "refused")
    return result


def in_file(folder):
    """A file in the folder that a function names."""

    def add(content):
        with Path(folder(), mark()).open("ab") as file:
            file.write(content)

    def give():
        return Path(folder(), mark()).read_bytes()

    return add, give


def in_shared_memory(*, create):
    """A segment with a name, and its memory; the helper process of Python is kept from removing it."""
    segment = shared_memory.SharedMemory(mark(), create=create, size=ROOM)
    with contextlib.suppress(Exception):
        resource_tracker.unregister(segment._name, "shared_memory")
    return segment, segment.buf


def in_system_v(*, create):
    segment = called(libc.shmget(KEY + int(os.environ.get("LCBENCH_CHEAT", "0")), ROOM, 0o600 | (0o1000 * create)))
    return segment, memoryview((ctypes.c_char * ROOM).from_address(called(libc.shmat(segment, None, 0)))).cast("B")


def in_buffer(buffer):
    """A buffer, and what keeps it open; it begins with the number of bytes in it."""

    def add(content):
        try:
            _owner, there = buffer(create=False)
        except OSError:
            _owner, there = buffer(create=True)
        used = int.from_bytes(there[:8], "big")
        there[8 + used : 8 + used + len(content)] = content
        there[:8] = (used + len(content)).to_bytes(8, "big")

    def give():
        _owner, there = buffer(create=False)
        return bytes(there[8 : 8 + int.from_bytes(there[:8], "big")])

    return add, give


def queue():
    return called(libc.mq_open(f"/{mark()}".encode(), os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, 0o600, None))


def add_to_queue(content):
    called(libc.mq_send(queue(), content, len(content), 0))


def give_from_queue():
    """Messages can be read only once, so all are sent again."""
    found, room = [], ctypes.create_string_buffer(8192)
    while (size := libc.mq_receive(queue(), room, 8192, None)) >= 0:
        found.append(room.raw[:size])
    for each in found:
        add_to_queue(each)
    return b"".join(found)


def add_key(content):
    """A key of the user, which all processes of that user may read."""
    name = f"{mark()}-{time.monotonic_ns()}".encode()
    key = called(libc.syscall(_ADD_KEY, b"user", name, content, len(content), ctypes.c_int(-4)))
    libc.syscall(_KEYCTL, 5, key, 0x3F3F0000)
    libc.syscall(_KEYCTL, 15, key, 60)  # seconds: nothing is left of the test


def give_keys():
    found, room = b"", ctypes.create_string_buffer(8192)
    for line in Path("/proc/keys").read_text().splitlines():
        if mark() in line:
            size = libc.syscall(_KEYCTL, 11, int(line.split()[0], 16), room, 8192)
            found += room.raw[: max(size, 0)]
    return found


def in_daemon(work):
    """Start a process that leaves session and parent, does this work, and ends after some time at the latest."""
    ready, go = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            with contextlib.suppress(BaseException):
                work(lambda: os.write(go, b"x"))
        os._exit(0)
    os.read(ready, 1)
    os.close(ready)
    os.close(go)


def address():
    return f"\0{mark()}"


def asked(content):
    """What the server that was left behind has; it is told more."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(address())
        asking.sendall(content)
        asking.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: asking.recv(ROOM), b""))


def serve(ready):
    held = b""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address())
        listening.listen()
        listening.settimeout(SECONDS_TO_SERVE)
        ready()
        while True:
            with listening.accept()[0] as asking:
                held += b"".join(iter(lambda: asking.recv(ROOM), b""))
                asking.sendall(held)


def add_to_server(content):
    try:
        asked(content)
    except OSError:
        in_daemon(serve)
        asked(content)


def memory_files():
    """Paths of the anonymous files that other processes hold open."""
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                if f"memfd:{mark()}" in str(descriptor.readlink()):
                    yield descriptor


def add_to_memory_file(content):
    held = give_memory_file() + content
    file = os.memfd_create(mark())
    os.write(file, held)

    def hold(ready):
        ready()
        time.sleep(SECONDS_TO_SERVE)

    in_daemon(hold)
    os.close(file)


def give_memory_file():
    return max((path.read_bytes() for path in memory_files()), key=len, default=b"")


class Waiting(threading.Thread):
    """A thread that goes on, and holds bytes."""

    held = b""

    def run(self):
        time.sleep(SECONDS_TO_SERVE)


def threads():
    return [each for each in threading.enumerate() if each.name == mark()]


def add_to_thread(content):
    if not threads():
        Waiting(name=mark(), daemon=True).start()
    threads()[0].held += content


def add_to_generator(content):
    """The state of numpy's global generator has room for 624 words."""
    kind, words, *rest = np.random.get_state()  # noqa: NPY002
    own = np.frombuffer(content[:2000].ljust(4 * len(words), b"\0"), dtype=np.uint32)
    np.random.set_state((kind, own, *rest))  # noqa: NPY002


def give_generator():
    words = np.random.get_state()[1]  # noqa: NPY002
    return words.tobytes() if not words[-100:].any() else b""


def in_frames(name):
    """Tasks in variables of the functions that called this one, and in what these lead to at once."""
    frame, found = sys._getframe(), {}
    while frame is not None:
        for value in frame.f_locals.values():
            for inner in (value, *vars(value).values()) if hasattr(value, "__dict__") else (value,):
                for each in inner.values() if isinstance(inner, dict) else [inner]:
                    if type(each) is Task and each.name != name:
                        found[each.name] = hiding.small(each)
        frame = frame.f_back
    return list(found.values())


def loaded_again(name, *, future):
    """The tasks of the stream before this one, or after it, by its name."""
    import lcbench

    try:
        tasks = [labelled.task for labelled in lcbench.load_stream(os.environ["LCBENCH_CHEAT_STREAM"]).tasks()]
    except lcbench.LcbenchError:
        return []
    here = [task.name for task in tasks].index(name)
    return [hiding.small(task) for task in (tasks[here + 1 :] if future else tasks[:here])]


def in_bytes(add, give):
    """Functions for tasks, of a place for bytes; one that cannot be used holds nothing."""

    def remember(task):
        with contextlib.suppress(OSError):
            add(hiding.small(task).tobytes())

    def recall(name):
        try:
            return hiding.apart(give())
        except OSError:
            return []

    return remember, recall


def begun_anew(remember, recall):
    """A place that is emptied before the first task, so that runs do not differ."""

    def recall_own(name):
        if name == "task-1":
            with contextlib.suppress(OSError):
                Path(elsewhere(), "anew", mark()).unlink()
        return recall(name)

    return remember, recall_own


def elsewhere():
    return os.environ["LCBENCH_CHEAT_FOLDER"]


def of_earlier_run(folder):
    """A file that was there before the run; here that of the test."""

    def recall(name):
        file = Path(folder, f"{mark()}-earlier")
        return hiding.apart(file.read_bytes()) if file.exists() else []

    return recall


def nowhere(task):
    pass


OUTSIDE = {
    "working folder": in_bytes(*in_file(lambda: ".")),
    "TMPDIR": in_bytes(*in_file(tempfile.gettempdir)),
    "/tmp": in_bytes(*in_file(lambda: "/tmp")),
    "/var/tmp": in_bytes(*in_file(lambda: "/var/tmp")),
    "/dev/shm": in_bytes(*in_file(lambda: "/dev/shm")),
    "home folder": in_bytes(*in_file(Path.home)),
    "another folder": in_bytes(*in_file(elsewhere)),
    "another folder, begun anew": begun_anew(*in_bytes(*in_file(lambda: Path(elsewhere(), "anew")))),
    "earlier run, /tmp": (nowhere, of_earlier_run("/tmp")),
    "earlier run, another folder": (nowhere, lambda name: of_earlier_run(elsewhere())(name)),
    "named shared memory": in_bytes(*in_buffer(in_shared_memory)),
    "shared memory of System V": in_bytes(*in_buffer(in_system_v)),
    "message queue": in_bytes(add_to_queue, give_from_queue),
    "keys of the kernel": in_bytes(add_key, give_keys),
    "server left behind": in_bytes(add_to_server, lambda: asked(b"")),
    "memory file of a child": in_bytes(add_to_memory_file, give_memory_file),
    "thread left behind": in_bytes(add_to_thread, lambda: b"".join(each.held for each in threads())),
    "generator": in_bytes(add_to_generator, give_generator),
    "frames": (nowhere, in_frames),
    "stream, old tasks": (nowhere, lambda name: loaded_again(name, future=False)),
    "stream, tasks to come": (nowhere, lambda name: loaded_again(name, future=True)),
}

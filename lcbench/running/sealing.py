"""Seals methods off: bubblewrap around the server, and once more around each run.

Sealed processes have no network and a read-only file system without the cache, the results and the data of the
experiment, and without the sockets of other programs; they see no processes but their own.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from lcbench.errors import ParameterError

CORNER = "/tmp/lcbench"  # the folder of a sealed process, in a /tmp of its own
NEW_USER, NEW_MOUNTS, NEW_IPC, _NEW_PROCESSES = 0x10000000, 0x00020000, 0x08000000, 0x20000000
_NEW_NETWORK = 0x40000000
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 1 << 5, 1 << 12, 1 << 14, 1 << 18
NOSUID_NODEV, _NOSUID_NODEV_NOEXEC, _DETACH = 2 | 4, 2 | 4 | 8, 2
_DROP_RIGHT, _NO_NEW_RIGHTS, _RIGHTS_VERSION = 24, 38, 0x20080522
_SET_FLAGS, _IS_UP = 0x8914, 1  # of a network interface
_KEY_CALLS = {  # by machine: what its system calls are marked with, the call `seccomp`, and those that handle keys
    "x86_64": (0xC000003E, 317, (248, 249, 250)),
    "aarch64": (0xC00000B7, 277, (217, 218, 219)),
}
OWN = ("/tmp", "/var/tmp", "/dev/shm", "/dev/pts")
SOCKETS = ("/run", "/var/run")  # where programs listen
LEADING_OUT = (  # variables that name sockets of other programs
    "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO",
    "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DOCKER_HOST", "NOTIFY_SOCKET",
)  # fmt: skip
SECONDS_TO_TRY = 30.0
HINT = "install bubblewrap (bwrap) on Linux and allow user namespaces, or run without --sealed"


def bubblewrap(hidden: Iterable[Path], shown: Iterable[str | Path]) -> list[str]:
    """The words before a command that seal it off.

    Folders in `hidden` are empty in it, but for those in `shown`, and files cannot be read; so it is with what links in
    hidden folders lead to. Of a hidden and a shown folder one of which lies in the other, the inner one is what it is
    said to be.
    """
    program = shutil.which("bwrap")
    if program is None or not sys.platform.startswith("linux"):
        raise ParameterError(f"Runs cannot be sealed here, as bubblewrap is not installed: {HINT}.")
    talking = set(map(_real, (*SOCKETS, os.environ.get("XDG_RUNTIME_DIR") or SOCKETS[0])))
    away = set(filter(_is_there, {*map(_real, OWN[:2]), *talking, *_led_to(hidden), *_listening()}))
    covered = {path for path in away if path.is_dir()}
    bound = {path.resolve() for path in map(Path, shown) if path.exists()} - covered
    words = [program, "--unshare-all", "--new-session", "--ro-bind", "/", "/"]
    words += ["--dev", "/dev", "--proc", "/proc"]
    for path in sorted(covered | bound, key=lambda path: len(path.parts)):
        if path in covered:
            words += ["--tmpfs", str(path)]
        elif any(path.is_relative_to(folder) for folder in covered):
            words += ["--ro-bind", str(path), str(path)]
    for path in sorted(away - covered):
        around = [folder for folder in covered | bound if path.is_relative_to(folder)]
        if not around or max(around, key=lambda folder: len(folder.parts)) in bound:
            words += ["--ro-bind", os.devnull, str(path)]
    for folder in sorted(talking & covered):
        with contextlib.suppress(OSError):  # it may be that of another user
            for link in filter(Path.is_symlink, folder.iterdir()):  # such as that to the programs of NixOS
                words += ["--symlink", str(link.readlink()), str(link)]
    for folder in sorted(covered):
        words += ["--remount-ro", str(folder)]
    return [*words, "--remount-ro", "/dev"]


def _led_to(paths: Iterable[Path]) -> set[Path]:
    """The paths, and all that links in them lead to, resolved."""
    found: set[Path] = set()
    waiting = list(paths)
    while waiting:
        path = _real(waiting.pop())
        if path not in found:
            found.add(path)
            inner = (Path(folder, name) for folder, *names in os.walk(path) for name in (*names[0], *names[1]))
            waiting += filter(Path.is_symlink, inner)
    return found


def _real(path: str | Path) -> Path:
    return Path(os.path.realpath(path))  # which takes links that lead in a circle, too


def _is_there(path: Path) -> bool:
    return os.access(path, os.F_OK)


def _listening() -> Iterator[Path]:
    """The sockets in the file system at which other programs listen."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/net/unix").read_text(errors="surrogateescape").splitlines()[1:]:
            name = "".join(line.split(maxsplit=7)[7:])
            with contextlib.suppress(OSError):  # a folder that may not be looked into
                if name.startswith("/") and Path(name).is_socket():
                    yield _real(name)


def check(words: Sequence[str]) -> None:
    """ParameterError if bubblewrap does not work here, as where user namespaces are forbidden."""
    try:
        found = subprocess.run(
            [*words, "echo", "sealed"], capture_output=True, text=True, check=False, timeout=SECONDS_TO_TRY,
            preexec_fn=child_signals(),
        )  # fmt: skip
        if found.stdout == "sealed\n":  # the exit code is lost where the caller ignores SIGCHLD
            return
        said = (found.stderr.strip().splitlines() or ["it gave no reason"])[-1]
    except subprocess.TimeoutExpired:
        said = f"bubblewrap took longer than {SECONDS_TO_TRY:g} s"
    raise ParameterError(f"Runs cannot be sealed here ({said}): {HINT}.")


def child_signals() -> Callable[[], object] | None:
    """To be called in a new process before bubblewrap, which waits forever where SIGCHLD is ignored."""
    if signal.getsignal(signal.SIGCHLD) is not signal.SIG_IGN:
        return None
    return partial(signal.signal, signal.SIGCHLD, signal.SIG_DFL)


def seal_again(*, own_processes: bool) -> None:
    """Give this process and those it starts folders for temporary files of their own, if possible processes too.

    So it is with the network: all have the loopback interface alone, and where no more network namespaces are to be
    had share it. What of /proc and /dev can be written becomes read-only.

    With `own_processes` it goes on in a fork that is the first process of a new process namespace.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    spaces = NEW_USER | NEW_MOUNTS | NEW_IPC | (_NEW_PROCESSES if own_processes else 0)
    try:
        enter_namespaces(libc, spaces | _NEW_NETWORK)
    except OSError:
        enter_namespaces(libc, spaces)
    else:
        _start_loopback()
    for folder in filter(_is_folder, OWN):
        kept = {inner: os.open(inner, os.O_PATH) for inner in _mounted_below(folder)}
        mount(libc, "tmpfs", folder, "tmpfs", _NOSUID_NODEV_NOEXEC)
        for inner, descriptor in kept.items():  # such as a Python environment that lies in /tmp
            _make_place(inner, is_folder=_is_folder(f"/proc/self/fd/{descriptor}"))
            mount(libc, f"/proc/self/fd/{descriptor}", inner, None, _BIND | _RECURSIVE)
            os.close(descriptor)
    if own_processes:
        first = os.fork()
        if first:
            _, status = os.waitpid(first, 0)
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
        mount(libc, "proc", "/proc", "proc", _NOSUID_NODEV_NOEXEC)
    for place in ("/proc", *filter(_is_device, _mounted_below("/dev"))):  # root owns what is there, without any rights
        mount(libc, None, place, None, _REMOUNT | _BIND | _READ_ONLY | os.statvfs(place).f_flag & _NOSUID_NODEV_NOEXEC)


def enter_namespaces(libc: ctypes.CDLL, spaces: int) -> None:
    """Give this process new namespaces, in which it has the same user and group, and its mounts reach no other."""
    user, group = os.getuid(), os.getgid()
    _called(libc.unshare(spaces), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(text)
    mount(libc, "none", "/", None, _RECURSIVE | _PRIVATE)


def mount(
    libc: ctypes.CDLL, source: str | None, place: str, kind: str | None, flags: int, options: str | None = None
) -> None:
    """The system call of this name; OSError if it fails."""
    words = [None if text is None else os.fsencode(text) for text in (source, place, kind, options)]
    _called(libc.mount(*words[:3], ctypes.c_ulong(flags), words[3]), f"mount {place}")


def give_up_rights() -> None:
    """Give up all that this process may do in namespaces of its own, such as to unmount what was mounted for it.

    Keys of the kernel are out of reach from then on: the rings of a user are shared by all processes of that user.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for right in range(64):
        libc.prctl(_DROP_RIGHT, right, 0, 0, 0)
    _called(libc.prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0), "prctl")
    header = (ctypes.c_uint32 * 2)(_RIGHTS_VERSION, 0)
    _called(libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")
    if sys.maxsize > 1 << 32 and os.uname().machine in _KEY_CALLS:
        _forbid_calls(libc, *_KEY_CALLS[os.uname().machine])


def _forbid_calls(libc: ctypes.CDLL, marked: int, seccomp: int, calls: Sequence[int]) -> None:
    """Have the kernel refuse some system calls, and all those of 32-bit programs, which have other numbers."""
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    allowed, refused = 0x7FFF0000, 0x00050001
    steps = [(load, 0, 0, 4), (equal, 1, 0, marked), (answer, 0, 0, refused), (load, 0, 0, 0)]
    steps += [(at_least, len(calls) + 1, 0, 0x40000000)]
    steps += [(equal, len(calls) - i, 0, call) for i, call in enumerate(calls)]
    steps += [(answer, 0, 0, allowed), (answer, 0, 0, refused)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    described = struct.pack("HP", len(steps), ctypes.addressof(program))
    _called(libc.syscall(seccomp, 1, 4, described), "seccomp")  # 4: timings stay those of other processes


def _start_loopback() -> None:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _IS_UP))


def _mounted_below(folder: str) -> list[str]:
    """The places below a folder where something is mounted."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    points = [line.split()[4].encode().decode("unicode_escape") for line in lines]
    return [point for point in points if point.startswith(f"{folder}/")]


def _is_folder(path: str) -> bool:
    return Path(path).is_dir()


def _is_device(path: str) -> bool:
    return Path(path).is_char_device()


def _make_place(path: str, *, is_folder: bool) -> None:
    place = Path(path)
    (place if is_folder else place.parent).mkdir(parents=True, exist_ok=True)
    if not is_folder:
        place.touch()


def can_own_processes() -> bool:
    """True if a fork can have processes of its own, which a look at /proc from inside needs.

    What bubblewrap mounts in the /proc of root is taken away: beside a /proc that is covered in part the kernel allows
    no other one. Nothing can be written in that of a run all the same.
    """
    for place in _mounted_below("/proc"):
        ctypes.CDLL(None).umount2(place.encode(), _DETACH)
    probe = os.fork()
    if probe == 0:
        with contextlib.suppress(OSError):
            seal_again(own_processes=True)
            os._exit(0)
        os._exit(1)
    return os.waitpid(probe, 0)[1] == 0


def _called(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")

"""Limits the memory of a process, and reads how much memory it and its children use.

All of it works on Linux; elsewhere the answers are None, False or 0.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36


def can_limit_memory() -> bool:
    """True if `limit_memory` works on this platform."""
    return sys.platform.startswith("linux")


def limit_memory(limit: int) -> None:
    """Limit this process, and each one it starts, to `limit` bytes of private memory."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = min(limit, sys.maxsize if most == resource.RLIM_INFINITY else most)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))


def leave_no_core_files() -> None:
    """Turn off core files, which a method that crashes or is stopped would leave behind."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, and exit at once if it has ended already."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.name == "posix" and os.getppid() != parent:
        os._exit(1)


def let_others_look(allowed: bool) -> None:
    """Allow or forbid other processes of the same user to read the memory of this one and to trace it.

    The superuser can do so all the same.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, int(allowed), 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parent ends, so that none of them can get away."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def private_bytes() -> int | None:
    """The private memory of this process, as `limit_memory` counts it; None if unknown."""
    return _status_bytes("/proc/self/status", "VmData:")


def tree_resident_bytes(pid: int) -> int:
    """The memory that a process and all its descendants hold now; 0 if unknown."""
    return sum(_status_bytes(f"/proc/{each}/status", "VmRSS:") or 0 for each in tree(pid))


def kernel_kills() -> int | None:
    """The number of processes the kernel has killed since boot because memory ran out; None if unknown."""
    try:
        lines = Path("/proc/vmstat").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), None)


def tree(pid: int) -> Iterator[int]:
    """The ids of a process and all its descendants, in any session; the process alone if they cannot be listed."""
    waiting = [pid]  # no recursion: a method can start a chain of thousands
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(children(each))


def children(pid: int) -> list[int]:
    """The ids of the children of a process; none if they cannot be listed."""
    found: list[int] = []
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:  # it has ended, perhaps just now
        return found
    for thread in threads:  # each lists the children that it started
        try:
            found += map(int, (thread / "children").read_text().split())
        except FileNotFoundError:
            if thread.exists():  # not every kernel has these files
                return _children_by_parent(pid)
        except OSError:
            continue
    return found


def _children_by_parent(pid: int) -> list[int]:
    """The ids of the processes that name this one as their parent."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            if (each / "stat").read_text().rpartition(")")[2].split()[1] == str(pid):
                found.append(int(each.name))
    return found


def standing() -> tuple[object, ...]:
    """The limits, the priority and the cores of this process, which others of the same user can change."""
    import resource

    limits = [resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")]
    return (*limits, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), *sorted(os.sched_getaffinity(0)))


def state(pid: int) -> str:
    """The state of a process, such as R (runs), S (waits), T (is stopped) or Z (has ended, also if it is not there).

    It is ? if the system does not say, as where no more files can be opened.
    """
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"
    except (OSError, IndexError):
        return "?"


def signal_name(number: int) -> str:
    """The name of a signal, such as SIGSEGV."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _status_bytes(path: str, key: str) -> int | None:
    try:
        text = Path(path).read_text()
    except OSError:
        return None
    line = next((line for line in text.splitlines() if line.startswith(key)), None)
    return None if line is None else int(line.split()[1]) * 1024

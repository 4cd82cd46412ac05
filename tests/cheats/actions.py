"""What a process of lcbench may do when its method is built; processes import this file by name.

`job(exits, 7)` is the job of a process that does `exits(7)`; what an action prints is in the end of its process.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from lcbench.running.method_process import Job
from lcbench.running.wire import ClosedError


def job(action, *arguments) -> Job:
    make = pickle.dumps(partial(action, *arguments))
    return Job("run", make, seed=0, threads=1, total=1, evaluate="all", future=False)


def end_of(server, action, *arguments, **limits):
    """Has a process of a server do an action that ends it without a message, and returns how it ended."""
    process = server.launch("method", job(action, *arguments), **limits)
    try:
        said = process.receive(60)
    except ClosedError:
        return process.end()
    raise AssertionError(f"it said {said}")


def exits(code: int) -> None:
    os._exit(code)


def raises(text: str) -> None:
    raise ValueError(text)


def signals_itself(number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(60)


def writes(folder: str, pid: int) -> None:
    """Change, delete and make files in a folder that is not its own, by all ways that lead there; tell all."""
    import ctypes

    seen = sorted(path.name for path in Path(folder).iterdir())
    unmounted = [place for place in ("/tmp", folder) if ctypes.CDLL(None).umount2(place.encode(), 2) == 0]
    refused = []
    for base in (folder, f"/proc/{pid}/root{folder}", f"/proc/{pid}/cwd"):
        try:
            Path(base, "new").write_text("x")
        except OSError:
            refused.append(base)
    Path(folder, "old").write_text("changed")
    Path(folder, "gone").unlink()
    here = [path.name for path in Path(folder).iterdir()]
    print(json.dumps({"seen": seen, "unmounted": unmounted, "refused": len(refused), "here": here}), flush=True)
    os._exit(0)


def hangs() -> None:
    time.sleep(120)


def hangs_deaf() -> None:
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    time.sleep(120)


def burns(seconds: float) -> None:
    while time.process_time() < seconds:
        pass
    os._exit(0)


def burns_in_child(seconds: float) -> None:
    subprocess.run([sys.executable, "-c", f"import time\nwhile time.process_time() < {seconds}: pass"], check=True)
    os._exit(0)


def eats(size: int) -> None:
    kept = bytearray(b"x") * size
    time.sleep(60)
    os._exit(len(kept) % 2)


def leaves_daemon() -> None:
    """Fork twice and leave the session in between; prints the id of what stays."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(writing, str(os.getpid()).encode())
            os.close(writing)
            time.sleep(120)
        os._exit(0)
    os.wait()
    os.close(writing)
    print(os.read(reading, 20).decode(), flush=True)
    os._exit(3)


def signals_supervisor() -> None:
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
        os.kill(os.getppid(), number)
    os._exit(4)


def kills_supervisor() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def litters() -> None:
    """Leave a folder that nobody may enter; prints where."""
    inner = Path("locked", "inner")
    inner.mkdir(parents=True)
    (inner / "file").write_text("x")
    inner.chmod(0)
    Path("locked").chmod(0)
    print(Path.cwd(), flush=True)
    os._exit(0)


def closes_files() -> None:
    os.closerange(3, 256)
    time.sleep(60)


def prints(text: str, times: int = 1) -> None:
    for _ in range(times):
        os.write(1, text.encode())
    os._exit(0)


def tells() -> None:
    """Print facts about this process, and leave a mark that a later one must not find."""
    facts = {
        "pid": os.getpid(), "parent": os.getppid(), "session": os.getsid(0), "folder": str(Path.cwd()),
        "files": sorted(path.name for path in Path.cwd().iterdir()), "mark": getattr(sys, "lcbench_mark", None),
        "environment": dict(os.environ),
        "temporary": tempfile.gettempdir(),
        "plugins": sorted(name for name in sys.modules if name.startswith("lcbench_")), "input": sys.stdin.read(),
        "blocked": len(signal.pthread_sigmask(signal.SIG_BLOCK, ())), "path": sys.path,
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
        "open": sorted(int(path.name) for path in Path("/proc/self/fd").iterdir()),
    }  # fmt: skip
    sys.lcbench_mark = os.environ["LCBENCH_MARK"] = "here"
    Path("mark").write_text("here")
    print(json.dumps(facts), flush=True)
    os._exit(0)


def stops_its_supervisor_and_floods() -> None:
    os.kill(os.getppid(), signal.SIGSTOP)
    while True:
        os.write(1, b"x" * 65_536)


def burdens_its_supervisor() -> None:
    """Give the parent, which watches the next process too, the lowest priority."""
    os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)
    os._exit(0)

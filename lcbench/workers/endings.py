"""How a run ended whose worker can no longer say it: the status, and the reason in words."""

from __future__ import annotations

import re
import signal

from lcbench.printable import byte_size
from lcbench.record import CRASHED, OUT_OF_MEMORY

LINES_KEPT = 12
SIGKILL = 9  # which not every platform has a name for
_OURS = re.compile(r"[\\/]lcbench[\\/](harness|execution|workers[\\/]child)\.py\"")


def describe_end(code: int | None, *, memory_limit: int | None, kernel_killed: bool, where: str) -> tuple[str, str]:
    """Status and sentence for a worker that ended with `code` in the middle of a run."""
    if code == -SIGKILL:
        if kernel_killed:
            return OUT_OF_MEMORY, f"the kernel stopped it {where}: the machine had no memory left."
        return CRASHED, f"its process was killed (SIGKILL) {where}."
    if code is None:
        return CRASHED, f"it closed its pipe to lcbench {where} and its process had to be stopped."
    if code < 0:
        limited = f" The memory limit was {byte_size(memory_limit)}." if memory_limit is not None else ""
        return CRASHED, f"its process was ended by {_signal_name(-code)} {where}.{limited}"
    return CRASHED, f"its process ended itself with exit code {code} {where}."


def last_lines(output: str) -> list[str]:
    """The last lines that say something, or of a crash the innermost frames, up to where lcbench called the method."""
    lines = [line.rstrip()[:300] for line in output.splitlines() if line.strip()]
    trace = next((i for i, line in enumerate(lines) if line.startswith("Fatal Python error")), None)
    if trace is None:
        return lines[-LINES_KEPT:]
    ours = next((i for i, line in enumerate(lines) if i > trace and _OURS.search(line)), None)
    return lines[trace:ours][:LINES_KEPT]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

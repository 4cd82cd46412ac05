"""The attacks of the hostile plugin, and how each run of one must end; used by the scenario of that name.

An attack that is not in `ENDS` must end well: its status is ok. `HOLES` are those that lcbench does not withstand yet.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from hostile_runs import BLAME, PLUGIN

sys.path.append(str(PLUGIN))
import lcbench_hostile

sys.path.remove(str(PLUGIN))  # else it would be found, and loaded, as a plugin of the process of the tests

OWN_TESTS = {
    "looks-around", "searches-all", "leaves-message-below", "reads-message-below", "waits-for-word", "says-word",
    "asks-outside", "changes-machine",
}  # fmt: skip


@dataclass(frozen=True)
class Ending:
    """How the run of an attack ends: its status, what its error must say, options, and processes it leaves.

    If it is `caught`, the audit says that it breaks its promise, which ends the command with 1.
    """

    status: str = "ok"
    says: str = ""
    words: tuple[str, ...] = ()
    left: int = 0
    caught: bool = False


def raised(what: str) -> Ending:
    """The method raised something."""
    return Ending("failed", f"{BLAME} raised {what}")


def forged(what: str) -> Ending:
    """The method wrote something that lcbench refuses."""
    return Ending("crashed", f"its process sent no message of lcbench ({what}")


def ended(how: str) -> Ending:
    """The method's process ended early."""
    return Ending("crashed", f"its process {how} at task 'task-1'")


_QUICK = ("--timeout", "2s")
ENDS = {
    "patches-running": forged("a message of"),
    "patches-clock": forged("it sent a time that is none"),
    "recurses": ended("was ended by SIGSEGV"),
    "endless-labels": Ending("out-of-memory", f"{BLAME} raised MemoryError"),
    "state-is-bomb": Ending("crashed", "its process ended itself with exit code 9 at task 'task-2'"),
    "replaces-the-folder-of-all": raised("FileNotFoundError"),
    "ends-by-alarm": ended("was ended by SIGALRM"),
    "leaves-child": Ending(left=1),
    "leaves-daemon": Ending(left=1),
    "forks-many": Ending(left=50),
    "opens-port": Ending(left=1),
    "closes-all-files": ended("ended itself with exit code 1"),
    "writes-pickle": forged(""),
    "writes-pickle-in-message": forged("it sent another number of labels"),
    "writes-garbage": forged("no JSON"),
    "writes-huge-text": forged("a message of"),
    "writes-huge-bytes": forged("a message of"),
    "writes-deep-json": forged("no JSON"),
    "writes-deep-traceback": Ending("failed", "e"),
    "writes-long-number": forged("no JSON"),
    "writes-list": forged("no JSON object"),
    "writes-part": ended("ended itself with exit code 0"),
    "says-unknown": forged("'"),
    "asks-for-future": forged("it asked for a task that is not due"),
    "asks-for-negative": forged("it asked for a task that is not due"),
    "sends-few-labels": forged("it sent another number of labels"),
    "sends-many-labels": forged("it sent another number of labels"),
    "sends-labels-twice": forged("'learned' is not what comes next"),
    "sends-labels-of-others": forged("it sent labels of other tasks"),
    "steps-before-labels": forged("'step' is not what comes next"),
    "finishes-early": forged("'finished' is not what comes next"),
    "sends-scores": forged("'scores' is not what comes next"),
    "sends-nan-time": forged("it sent a time that is none"),
    "sends-negative-time": forged("it sent a time that is none"),
    "sends-huge-time": forged("it sent a time that is none"),
    "sends-huge-objective": forged("it sent objectives that are no numbers"),
    "sends-huge-size": forged("it sent a number of bytes that is none"),
    "forges-huge-measure": forged("it sent a measure that is none"),
    "forges-failure": Ending("failed", BLAME),
    "forges-long-task-name": Ending(caught=True),
    "works-in-labels": Ending(caught=True),
    "raises-error": raised("ValueError: no thanks"),
    "raises-base-exception": raised("Unusual: as you like"),
    "raises-keyboard-interrupt": raised("KeyboardInterrupt"),
    "raises-in-repr": raised("TextlessError: it has no text"),
    "exits-in-predict": raised("SystemExit: 0"),
    "exits-quietly": ended("ended itself with exit code 0"),
    "aborts": ended("was ended by SIGABRT"),
    "segfaults": ended("was ended by SIGSEGV"),
    "kills-itself": ended("was killed (SIGKILL)"),
    "stops-itself": Ending("timeout", "longer than 2 s", _QUICK),
    "hangs-deaf": Ending("timeout", "longer than 2 s", _QUICK),
    "takes-memory": Ending("out-of-memory", "", ("--memory-limit", "1GB")),
    "kills-supervisor": Ending("crashed", "the supervisor of its process was killed or stopped at task 'task-1'"),
    "stops-supervisor-and-exits": Ending("crashed", "at task 'task-1'"),
    "stops-supervisor-and-hangs": Ending("crashed", "the supervisor of its process was killed or stopped", _QUICK),
    "kills-server-and-supervisor": Ending(
        "crashed", "the supervisor of its process was killed or stopped at task 'task-1'"
    ),
    "forges-report": Ending("crashed", "at task 'task-1'"),
    "raises-escapes": raised("ValueError"),
    "raises-surrogates": raised("ValueError: half"),
    "raises-long-text": raised("ValueError: xxx"),
    "raises-under-false-name": raised(""),
    "prints-escapes-and-crashes": ended("ended itself with exit code 5"),
    "fails-in-init": raised("KeyboardInterrupt: in __init__"),
    "array-raises": raised("SystemExit: 0"),
    "float-labels": Ending("failed", f"labels are integers. The fault is in {BLAME}."),
    "state-booms": Ending(words=("--audit", "isolate")),
    "state-runs-code": Ending(words=("--audit", "isolate")),
}
HOLES = {
    "kills-server-and-supervisor": "without --sealed, a daemon whose supervisor and server are killed lives on",
}
ATTACKS = [
    name
    for module in lcbench_hostile.METHODS
    for name, _, _ in lcbench_hostile.attacks(module, {"Hostile", "Thief"})
    if name not in OWN_TESTS
]

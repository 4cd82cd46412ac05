"""Carries out one run in a process of its own: hands over tasks, takes labels back.

What the process sends is checked: it is what a method claims, and may be anything.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lcbench.audit.label_check import StepError
from lcbench.printable import byte_size
from lcbench.records.record import CRASHED, OK, OUT_OF_MEMORY, TIMEOUT
from lcbench.running import process_limits
from lcbench.running.assignment import Assignment, checked_measure
from lcbench.running.executor import Limits
from lcbench.running.faults import described
from lcbench.running.forwarded_logs import LogsShown, Told
from lcbench.running.launching import Server
from lcbench.running.method_process import Job
from lcbench.running.parcels import TaskParcels
from lcbench.running.process import End, Process
from lcbench.running.spawned_process import Spawned
from lcbench.running.steps import Learned
from lcbench.running.wire import MOST_BYTES, ClosedError, WireError

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray

logger = logging.getLogger(__name__)
LINES_KEPT = 12
LONGEST_LINE = 300
SIGKILL = 9  # not every platform has a name for it
OF_MEMORY = ("SIGSEGV", "SIGABRT", "SIGBUS")  # signals that end code which does not check if it got its memory
_OURS = f'File "{Path(__file__).parent}{os.sep}'


@dataclass(slots=True)
class Ending:
    """The end of a run: its status, what its process said of itself, and what was counted outside it.

    `unscored` are the metrics whose process was killed, so that scores are missing.
    """

    status: str = OK
    error: str | None = None
    traceback: list[str] = field(default_factory=list)
    audit: dict[str, Any] = field(default_factory=dict)
    peak_bytes: int | None = None
    cpu_seconds: float | None = None
    processes_left: int = 0
    unscored: frozenset[str] = frozenset()


class Logs(Protocol):
    """Takes the log messages of a process."""

    def show(self, message: dict[str, Any]) -> None:
        """Take one message, whatever is in it."""


class IsolatedRun:
    """One run, each of whose replays has a process of its own; `parcels` are the tasks of its stream.

    What the process logs is shown here, unless there are other `logs` for it; a warning that was `told` already is not.
    If it is to be `private`, what its processes leave in shared folders is gone when they end, where that is possible.
    """

    def __init__(
        self,
        assigned: Assignment,
        parcels: TaskParcels,
        server: Server,
        limits: Limits,
        logs: Logs | None = None,
        told: Told | None = None,
    ) -> None:
        self.assigned = assigned
        self._parcels = parcels
        self._server = server
        self._limits = limits
        self._logs = logs
        self._told = told
        self._process: Process | Spawned | None = None
        self._stopped = False
        self.private = False
        self.ending = Ending()

    @property
    def is_stopped(self) -> bool:
        """True once it was stopped."""
        return self._stopped

    @property
    def has_private_folders(self) -> bool:
        """True if its processes have private folders."""
        return self.private and self._server.has_private_folders

    def stop(self) -> None:
        """Have the process ended; may be called from another thread."""
        self._stopped = True
        if self._process is not None:
            self._process.stop()

    def learned(self, *, quiet: bool = False, poison: bool = False) -> Iterator[Learned]:
        """The labels of each step, as they come; afterwards `ending` says how the run ended."""
        self.ending = Ending()
        logs = None if quiet else self._logs or LogsShown(self.assigned.label, self._told)
        done, kills = 0, process_limits.kernel_kills()
        own: IntArray | None = None  # the labels of the task just learned
        told, closed, broken = False, False, ""
        process = self._begin(self._job("run", poison=poison))
        try:
            while not told:
                message, content = process.receive(most=self.assigned.most_bytes)
                said = message.get("say")
                if said == "want":
                    self._hand_over(process, message.get("task"), done + (own is not None), replayed=quiet)
                elif said == "log":
                    if logs is not None:
                        logs.show(message)
                elif said == "learned" and done < len(self.assigned.order) and own is None:
                    (own,) = self.assigned.labels(content, [done])
                elif said == "step" and own is not None:
                    step = self.assigned.step(message, content, done, own)
                    done, own = done + 1, None
                    with process.paused():  # scoring it is not the method's time
                        yield step
                else:
                    self._take_end(message, done, measured=not poison)
                    told = True
        except ClosedError:
            closed = True
        except WireError as error:
            broken = str(error)
        finally:  # nobody waits for a process that is not done: an audit has seen enough at the first difference
            end = process.end() if told or closed else process.kill()
            self._process = None
        self.ending.peak_bytes, self.ending.cpu_seconds = end.peak_bytes, end.cpu_seconds
        self.ending.processes_left = end.left
        if broken:
            self.ending.status, self.ending.error = CRASHED, f"its process sent no message of lcbench ({broken})."
        elif not told:
            killed = kills != process_limits.kernel_kills()
            self.ending.status, self.ending.error = describe_end(
                end, self._limits, kernel_killed=killed, where=where(self.assigned.order, done)
            )
            self.ending.traceback = last_lines(end.output)
        elif not quiet:
            for line in end.output.rstrip().splitlines():
                if self._logs is None:
                    logger.debug("%s printed: %s", self.assigned.label, line)
                else:
                    self._logs.show({"level": logging.DEBUG, "name": __name__, "text": f"printed: {line}"})

    def one_step(
        self, what: str, i: int, state: bytes | None, generators: bytes | None = None
    ) -> tuple[IntArray, bytes, bool]:
        """Let a fresh process `learn` or `predict` the i-th task from a state, and from states of global generators.

        Returns the labels; the new state, after a prediction that of the generators, which nobody but such a process
        reads; and if unseen tasks can be predicted. StepError if the step fails.
        """
        process = self._begin(self._job(what, state=state, generators=generators, task=i))
        labels, unseen = None, False
        try:
            while True:
                message, content = process.receive(most=min(MOST_BYTES, self._limits.memory or MOST_BYTES))
                said = message.get("say")
                if said == "want":
                    self._hand_over(process, message.get("task"), 0, only=i, replayed=True)
                elif said == "labels":
                    labels, unseen = self.assigned.labels(content, [i])[0], bool(message.get("unseen"))
                elif said == "state" and labels is not None:
                    return labels, content, unseen
                elif said == "failed":
                    _, sentence, _ = described(dict(message), self.assigned.blame, self.assigned.order[i])
                    raise StepError(sentence)
                elif said != "log":
                    raise WireError(f"{said!r} is not what comes next")
        except ClosedError:
            _, sentence = describe_end(process.end(), self._limits, kernel_killed=False, where="in this step")
            raise StepError(sentence) from None
        except WireError as error:
            raise StepError(f"its process sent no message of lcbench ({error})") from None
        finally:
            self._process = None
            process.end()

    def _job(self, what: str, **more: Any) -> Job:
        assigned = self.assigned
        return Job(
            what=what,
            make=assigned.make,
            seed=assigned.seed,
            threads=assigned.threads,
            total=len(assigned.order),
            evaluate=assigned.evaluate,
            future=assigned.future,
            **more,
        )

    def _begin(self, job: Job) -> Process | Spawned:
        self._process = process = self._server.launch(
            "method", job, timeout=self._limits.timeout, memory=self._limits.memory, private=self.private
        )
        if self._stopped:
            process.stop()
        return process

    def _hand_over(
        self, process: Process | Spawned, i: Any, learned: int, only: int | None = None, *, replayed: bool
    ) -> None:
        """Send a task that the process asks for, if it is due: old ones, the next one, with `future` later ones.

        A sealed process and one that replays a run get data that no other process has, and so no message in them.
        """
        total = len(self.assigned.order)
        due = range(total) if self.assigned.future and learned else range(learned + 1)
        allowed = due if only is None else (only,)
        if type(i) is not int or i not in allowed or i >= total:
            raise WireError("it asked for a task that is not due")
        described, parcel = self._parcels.lent(self.assigned.places[i], alone=replayed or self._server.is_sealed)
        try:
            process.send(described, parcels=[parcel])
        finally:
            parcel.close()

    def _take_end(self, message: Mapping[str, Any], done: int, *, measured: bool) -> None:
        """Take the last message of a process: it has finished all tasks, or failed."""
        if message.get("say") == "finished" and done == len(self.assigned.order):
            if measured:
                self.ending.audit["measure"] = checked_measure(message.get("measure"), done)
            return
        if message.get("say") != "failed":
            raise WireError(f"{str(message.get('say'))[:40]!r} is not what comes next")
        task = self.assigned.order[min(done, len(self.assigned.order) - 1)]
        ending = self.ending
        ending.status, ending.error, ending.traceback = described(dict(message), self.assigned.blame, task)


def where(order: Sequence[str], learned: int) -> str:
    """The place in the order of tasks that a run had reached, in words."""
    if learned >= len(order):
        return "after the last task"
    return f"at task '{order[learned]}' ({learned + 1} of {len(order)})"


def describe_end(end: End, limits: Limits, *, kernel_killed: bool, where: str) -> tuple[str, str]:
    """Turn the end of a process that did not say how its run ended into a status and a sentence."""
    if end.how == "timeout":
        return TIMEOUT, f"it took longer than {limits.timeout:g} s: stopped {where}."
    if end.how == "memory":
        held = f"it held {byte_size(end.held)}, the limit is {byte_size(limits.memory or 0)}"
        return OUT_OF_MEMORY, f"{held}: stopped {where}."
    if end.how == "closed":
        return CRASHED, f"it closed its wire to lcbench {where} and its process had to be stopped."
    if end.status is None:
        return CRASHED, f"the supervisor of its process was killed or stopped {where}."
    if end.status == -SIGKILL:
        if kernel_killed:
            return OUT_OF_MEMORY, f"the kernel stopped it {where}: the machine had no memory left."
        return CRASHED, f"its process was killed (SIGKILL) {where}."
    if end.status < 0:
        name = process_limits.signal_name(-end.status)
        limited = limits.memory is not None and name in OF_MEMORY
        hint = f" The memory limit was {byte_size(limits.memory or 0)}." if limited else ""
        return CRASHED, f"its process was ended by {name} {where}.{hint}"
    return CRASHED, f"its process ended itself with exit code {end.status} {where}."


def last_lines(output: str) -> list[str]:
    """The last lines of output that are not blank; of a crash the innermost frames, up to lcbench's own."""
    lines = [line.rstrip()[:LONGEST_LINE] for line in output.splitlines() if line.strip()]
    trace = next((i for i, line in enumerate(lines) if line.startswith("Fatal Python error")), None)
    if trace is None:
        return lines[-LINES_KEPT:]
    ours = next((i for i, line in enumerate(lines) if i > trace and _OURS in line), None)
    return lines[trace:ours][:LINES_KEPT]

"""Carries out one run in a process of its own: hands over tasks, takes labels back.

What the process sends is checked: it is what a method claims, and may be anything.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.audit.label_check import StepError
from lcbench.contract.hashing import method_seed
from lcbench.printable import byte_size
from lcbench.records.record import CRASHED, OK, OUT_OF_MEMORY, TIMEOUT, is_scored, parse_evaluate
from lcbench.running import process_limits
from lcbench.running.executor import Limits
from lcbench.running.faults import described
from lcbench.running.forwarded_logs import LogsShown
from lcbench.running.launching import Server
from lcbench.running.method_process import Job
from lcbench.running.parcels import TaskParcels
from lcbench.running.process import End, Process
from lcbench.running.spawned_process import Spawned
from lcbench.running.steps import Learned
from lcbench.running.wire import MOST_BYTES, ClosedError, WireError

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray
    from lcbench.running.planned_run import PlannedRun

logger = logging.getLogger(__name__)
LINES_KEPT = 12
LONGEST_LINE, LONGEST_ERROR = 300, 2000
LONGEST_TIME = 1e10  # seconds
LARGEST_NUMBER = sys.float_info.max
MOST_OBJECTIVES = 100_000
SIGKILL = 9  # not every platform has a name for it
_OURS = f'File "{Path(__file__).parent}{os.sep}'


@dataclass(slots=True)
class Ending:
    """How a run ended, what its process said of itself, and what was counted outside it.

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


class IsolatedRun:
    """One run, each of whose replays has a process of its own; `parcels` are the tasks of its stream."""

    def __init__(self, planned: PlannedRun, parcels: TaskParcels, server: Server, limits: Limits) -> None:
        self.record = planned.record
        self._method = planned.method
        self._parcels = parcels
        self._places = [planned.stream.task_names.index(name) for name in self.record.order]
        self._sizes = [labelled.task.n_samples for labelled in planned.stream.tasks()]
        self._server = server
        self._limits = limits
        self._process: Process | Spawned | None = None
        self._stopped = False
        self.ending = Ending()

    def stop(self) -> None:
        """Have the process ended; may be called from another thread."""
        self._stopped = True
        if self._process is not None:
            self._process.stop()

    def learned(self, *, quiet: bool = False, poison: bool = False) -> Iterator[Learned]:
        """The labels of each step, as they come; afterwards `ending` says how the run ended."""
        self.ending = Ending()
        logs = None if quiet else LogsShown(self.record.label)
        done, kills = 0, process_limits.kernel_kills()
        own: IntArray | None = None  # the labels of the task just learned
        told, broken = False, ""
        process = self._begin(self._job("run", poison=poison))
        try:
            while not told:
                message, content = process.receive(most=8 * sum(self._sizes))
                said = message.get("say")
                if said == "want":
                    self._hand_over(process, message.get("task"), done + (own is not None), replayed=quiet)
                elif said == "log":
                    if logs is not None:
                        logs.show(message)
                elif said == "learned" and done < len(self.record.order) and own is None:
                    (own,) = self._labels(content, [done])
                elif said == "step" and own is not None:
                    step = self._step(message, content, done, own)
                    done, own = done + 1, None
                    with process.paused():  # scoring it is not the method's time
                        yield step
                else:
                    self._take_end(message, done, measured=not poison)
                    told = True
        except ClosedError:
            pass
        except WireError as error:
            broken = str(error)
        finally:
            end = process.end() if told or not broken else process.kill()
            self._process = None
        self._note(end)
        if broken:
            self.ending.status, self.ending.error = CRASHED, f"its process sent no message of lcbench ({broken})."
        elif not told:
            killed = kills != process_limits.kernel_kills()
            self.ending.status, self.ending.error = describe_end(
                end, self._limits, kernel_killed=killed, where=where(self.record.order, done)
            )
            self.ending.traceback = last_lines(end.output)
        elif not quiet:
            for line in end.output.rstrip().splitlines():
                logger.debug("%s printed: %s", self.record.label, line)

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
                    labels, unseen = self._labels(content, [i])[0], bool(message.get("unseen"))
                elif said == "state" and labels is not None:
                    return labels, content, unseen
                elif said == "failed":
                    _, sentence, _ = described(dict(message), self._method.blame, self.record.order[i])
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
        record = self.record
        return Job(
            what=what,
            make=self._method.make_elsewhere(),
            seed=method_seed(record.seed, record.stream, record.order, record.method, record.repeat),
            threads=record.threads,
            total=len(record.order),
            evaluate=record.evaluate,
            future=record.future,
            **more,
        )

    def _begin(self, job: Job) -> Process | Spawned:
        self._process = process = self._server.launch(
            "method", job, timeout=self._limits.timeout, memory=self._limits.memory
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
        total = len(self.record.order)
        due = range(total) if self.record.future and learned else range(learned + 1)
        allowed = due if only is None else (only,)
        if type(i) is not int or i not in allowed or i >= total:
            raise WireError("it asked for a task that is not due")
        described, parcel = self._parcels.lent(self._places[i], alone=replayed or self._server.is_sealed)
        try:
            process.send(described, parcels=[parcel])
        finally:
            parcel.close()

    def _step(self, message: Mapping[str, Any], content: bytes, done: int, own: IntArray) -> Learned:
        """The step of a message; WireError if labels are missing, or there are more than were asked for."""
        order, record = self.record.order, self.record
        scored = is_scored(done + 1, len(order), parse_evaluate(record.evaluate))
        old = list(range(done)) if scored else []
        later = list(range(done + 1, len(order))) if scored and record.future else []
        tasks = message.get("tasks")
        if tasks not in (old, old + later) or not all(type(i) is int for i in tasks):
            raise WireError("it sent labels of other tasks than it was to")
        trace = message.get("objective_trace")
        return Learned(
            learned=done + 1,
            task=order[done],
            learn_seconds=_seconds(message.get("learn_seconds")),
            predict_seconds=_seconds(message.get("predict_seconds")),
            pickle_seconds=_seconds(message.get("pickle_seconds")),
            state_bytes=_count(message.get("state_bytes")),
            labels={order[done]: own} | dict(zip([order[i] for i in tasks], self._labels(content, tasks), strict=True)),
            objective_trace=None if trace is None else _objectives(trace),
        )

    def _labels(self, content: bytes, tasks: Sequence[int]) -> list[IntArray]:
        import numpy as np

        sizes = [self._sizes[self._places[i]] for i in tasks]
        if len(content) != 8 * sum(sizes):
            raise WireError("it sent another number of labels than the tasks have samples")
        found: list[IntArray] = []
        start = 0
        for size in sizes:
            found.append(np.frombuffer(content, "<i8", size, start).astype(np.int64))
            found[-1].flags.writeable = False
            start += 8 * size
        return found

    def _take_end(self, message: Mapping[str, Any], done: int, *, measured: bool) -> None:
        """Take the last message of a process: it has finished all tasks, or failed."""
        if message.get("say") == "finished" and done == len(self.record.order):
            if measured:
                self.ending.audit["measure"] = checked_measure(message.get("measure"), done)
            return
        if message.get("say") != "failed":
            raise WireError(f"{str(message.get('say'))[:40]!r} is not what comes next")
        task = self.record.order[min(done, len(self.record.order) - 1)]
        ending = self.ending
        ending.status, ending.error, ending.traceback = described(dict(message), self._method.blame, task)

    def _note(self, end: End) -> None:
        """Keep what was counted outside the process."""
        self.ending.peak_bytes, self.ending.cpu_seconds = end.peak_bytes, end.cpu_seconds
        self.ending.processes_left = end.left


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < LONGEST_TIME:
        raise WireError("it sent a time that is none")
    return float(value)


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise WireError("it sent a number of bytes that is none")
    return value


def _objectives(values: Any) -> list[float | None]:
    numbers = isinstance(values, list) and len(values) <= MOST_OBJECTIVES
    if not numbers or not all(
        value is None or (type(value) in (int, float) and abs(value) <= LARGEST_NUMBER) for value in values
    ):
        raise WireError(f"it sent objectives that are no numbers, or more than {MOST_OBJECTIVES:,}")
    return [None if value is None else float(value) for value in values]


def checked_measure(found: Any, done: int) -> dict[str, Any]:
    """The audit `measure` as a method's process sent it; WireError if it does not have the form of one."""
    counts = ("task_bytes", "clusters", "held_bytes", "reachable")
    if not isinstance(found, dict):
        raise WireError("it sent no measure")
    lists = [found.get(name) for name in counts]
    whole = all(
        isinstance(each, list) and len(each) <= done and all(type(n) is int and abs(n) < 1 << 62 for n in each)
        for each in lists
    )
    before, first, error = (found.get(name) for name in ("state_bytes_before", "first_reachable", "error"))
    fits = (
        whole
        and len(found["task_bytes"]) == len(found["clusters"]) == done
        and min(found["task_bytes"] + found["clusters"]) > 0
        and (before is None or (type(before) is int and 0 <= before < 1 << 62))
        and (first is None or (isinstance(first, dict) and first.get("step") in range(1, done + 1)))
    )
    if not fits:
        raise WireError("it sent a measure that is none")
    return {
        **{name: found[name] for name in ("task_bytes", "clusters")},
        "state_bytes_before": before,
        **{name: found[name] for name in ("held_bytes", "reachable")},
        "first_reachable": None if first is None else {"step": first["step"], "task": str(first.get("task"))[:200]},
        "complete": found.get("complete") is True,
        "seconds": _seconds(found.get("seconds")),
        **({} if error is None else {"error": str(error)[:LONGEST_ERROR]}),
    }


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
        limited = f" The memory limit was {byte_size(limits.memory)}." if limits.memory is not None else ""
        return CRASHED, f"its process was ended by {process_limits.signal_name(-end.status)} {where}.{limited}"
    return CRASHED, f"its process ended itself with exit code {end.status} {where}."


def last_lines(output: str) -> list[str]:
    """The last lines of output that are not blank; of a crash the innermost frames, up to lcbench's own."""
    lines = [line.rstrip()[:LONGEST_LINE] for line in output.splitlines() if line.strip()]
    trace = next((i for i, line in enumerate(lines) if line.startswith("Fatal Python error")), None)
    if trace is None:
        return lines[-LINES_KEPT:]
    ours = next((i for i, line in enumerate(lines) if i > trace and _OURS in line), None)
    return lines[trace:ours][:LINES_KEPT]

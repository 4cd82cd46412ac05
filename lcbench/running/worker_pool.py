"""Hands runs to worker processes, and stops those over the timeout or memory limit."""

from __future__ import annotations

import logging
import os
import queue
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from lcbench.errors import ParameterError, PluginError, RunFailedError
from lcbench.printable import byte_size
from lcbench.records.record import CRASHED, OK, OUT_OF_MEMORY, TIMEOUT, RunRecord, timestamp
from lcbench.registry.events import Events
from lcbench.running import process_limits
from lcbench.running.messages import Job, Setup
from lcbench.running.worker_process import WorkerProcess

if TYPE_CHECKING:
    from lcbench.running.planned_run import PlannedRun
    from lcbench.running.shared_data import SharedStream

logger = logging.getLogger(__name__)
SECONDS_BETWEEN_LOOKS = 0.2  # between checks of the workers' memory
LONGEST_WAIT = 3600.0  # seconds: a queue refuses timeouts of centuries
LINES_KEPT = 12
SIGKILL = 9  # not every platform has a name for it
_OURS = f'File "{Path(__file__).parent}{os.sep}'


@dataclass(frozen=True, slots=True)
class Limits:
    """The number of workers, and the threads, seconds and bytes that each run may use."""

    jobs: int = 1
    threads: int = 1
    timeout: float | None = None
    memory: int | None = None


@dataclass(slots=True, eq=False)
class _Post:
    """A worker, its environment facts once it is ready, and its current run and deadline."""

    worker: WorkerProcess
    facts: dict[str, Any] | None = None
    record: RunRecord | None = None
    deadline: float | None = None


class WorkerPool:
    """Starts workers, reuses those whose run succeeded, and replaces all others."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._setup = Setup(
            parent=os.getpid(),
            memory_limit=limits.memory,
            log_level=logging.getLogger("lcbench").getEffectiveLevel(),
        )
        self._inbox: queue.SimpleQueue[tuple[WorkerProcess, Any]] = queue.SimpleQueue()
        self._posts: dict[WorkerProcess, _Post] = {}
        self._given: deque[RunRecord] = deque()
        self._next_look = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        for worker in self._posts:
            worker.kill()
        self._posts.clear()

    def run_all(
        self,
        plan: Sequence[PlannedRun],
        events: Events,
        shared: Mapping[int, SharedStream],
        metrics: Sequence[str],
        audits: Mapping[str, tuple[str, ...]],
    ) -> Iterator[RunRecord]:
        """Carry out all runs and yield their records as they end. The hooks fire here, in the parent.

        `shared` holds the data of every stream by the `id()` of its ConfiguredStream, `audits` the audits of every run
        by its run id.
        """
        self._waiting = deque(
            Job(p.record.blank(), p.method, shared[id(p.stream)], tuple(metrics), audits[p.run_id]) for p in plan
        )
        self._events = events
        self._kernel_kills = process_limits.kernel_kills()
        self.start(len(plan))
        missing = len(plan)
        while missing:
            post, message = self._next_message()
            record = None if post is None else self._handle(post, message)
            if record is not None:
                missing -= 1
                record.finished = timestamp()
                events.fire("lcbench_run_finished", run=record)
            while self._given:  # already under way, but listeners hear of one run after the other
                events.fire("lcbench_run_started", run=self._given.popleft())
            if record is not None:
                yield record
        for worker in self._posts:
            worker.leave()

    def start(self, runs: int) -> None:
        """Start as many workers as this number of runs can use, without waiting until they are ready."""
        while len(self._posts) < min(self._limits.jobs, runs):
            self._hire()

    def _hire(self) -> None:
        worker = WorkerProcess(self._limits.threads, self._inbox)
        self._posts[worker] = _Post(worker)
        worker.tell(self._setup)

    def _next_message(self) -> tuple[_Post | None, Any]:
        """The next message and the worker it is about; (None, None) if none came before the next check of limits."""
        self._look_after_limits()
        deadlines = [post.deadline for post in self._posts.values() if post.deadline is not None]
        if self._limits.memory is not None:
            deadlines.append(self._next_look)
        wait = min(max(0.0, min(deadlines) - time.monotonic()), LONGEST_WAIT) if deadlines else None
        try:
            worker, message = self._inbox.get(timeout=wait)
        except queue.Empty:
            return None, None
        return self._posts.get(worker), message

    def _look_after_limits(self) -> None:
        """Queue a message for each run over a limit, behind those of the workers: a finished run stays finished."""
        now = time.monotonic()
        for post in self._posts.values():
            if post.deadline is not None and now >= post.deadline:
                post.deadline = None
                self._inbox.put((post.worker, ("overdue", post.record)))
        if self._limits.memory is None or now < self._next_look:
            return
        self._next_look = now + SECONDS_BETWEEN_LOOKS
        for post in self._posts.values():
            if post.record is not None:
                held = process_limits.tree_resident_bytes(post.worker.pid)
                if held > self._limits.memory:
                    self._inbox.put((post.worker, ("too large", post.record, held)))

    def _handle(self, post: _Post, message: Any) -> RunRecord | None:
        """Act on a message; returns the record of the run if the message ends it."""
        kind, *content = message if message is not None else ("gone",)
        record = post.record
        if kind == "log":
            self._log(record, *content)
        elif kind == "ready":
            post.facts, before = content
            self._check_room(before)
            self._assign(post)
        elif kind == "gone":
            return self._ended(post)
        elif kind == "unable":
            raise PluginError(content[0])
        elif record is None:
            return None
        elif kind == "step":
            record.add_step(content[0])
            self._events.fire("lcbench_task_learned", run=record, step=content[0])
        elif kind == "finished":
            record.status, record.error, record.traceback, record.peak_bytes, record.audit = content
            self._say_output(post, record)
            if record.status == OK:
                self._assign(post)  # before this run is written, so that the worker need not wait
            else:
                self._dismiss(post)
            return record
        elif kind in ("overdue", "too large") and content[0] is not record:
            return None  # it is about a run that has ended since
        elif kind == "overdue":
            taken = f"it took longer than {self._limits.timeout:g} s"
            return self._stopped(post, record, TIMEOUT, taken)
        elif kind == "too large":
            held = f"it held {byte_size(content[1])}, the limit is {byte_size(self._limits.memory or 0)}"
            return self._stopped(post, record, OUT_OF_MEMORY, held)
        return None

    def _assign(self, post: _Post) -> None:
        """Give a worker the next waiting run, if there is one."""
        post.record = post.deadline = None
        if not self._waiting:
            return
        job = self._waiting.popleft()
        post.record = job.record.blank()
        post.record.environment = post.facts or {}
        if self._limits.timeout is not None:
            post.deadline = time.monotonic() + self._limits.timeout
        post.worker.tell(job)
        self._given.append(post.record)

    def _stopped(self, post: _Post, record: RunRecord, status: str, why: str) -> RunRecord:
        """Stop a worker whose run is over a limit; the record of that run."""
        post.worker.stop()
        record.status, record.error = status, f"{why}: stopped {_where(record)}."
        record.traceback = last_lines(post.worker.take_output())
        self._dismiss(post)
        return record

    def _ended(self, post: _Post) -> RunRecord | None:
        """Handle a worker process that ended by itself; the record of its run if it had one."""
        code = post.worker.exit_code()
        lines = last_lines(post.worker.take_output())
        if post.facts is None:
            last = f": {lines[-1]}" if lines else ""
            raise RunFailedError(f"A worker process could not be started (exit code {code}){last}.")
        record = post.record
        self._dismiss(post)
        if record is None:
            return None
        kills = process_limits.kernel_kills()
        killed, self._kernel_kills = kills != self._kernel_kills, kills
        record.status, record.error = describe_end(
            code, memory_limit=self._limits.memory, kernel_killed=killed, where=_where(record)
        )
        record.traceback = lines
        return record

    def _dismiss(self, post: _Post) -> None:
        """Remove a worker, and start another if more runs are waiting than workers are starting up."""
        del self._posts[post.worker]
        post.worker.kill()
        if len(self._waiting) > sum(other.facts is None for other in self._posts.values()):
            self._hire()

    def _log(self, record: RunRecord | None, level: int, name: str, text: str) -> None:
        ours = logging.getLogger(name if name.startswith("lcbench") else "lcbench.running")
        for line in text.splitlines():  # a message is shown as one line
            ours.log(level, "%s%s", f"{record.label}: " if record is not None else "", line)

    def _say_output(self, post: _Post, record: RunRecord) -> None:
        for line in post.worker.take_output().rstrip().splitlines():
            logger.debug("%s printed: %s", record.label, line)

    def _check_room(self, before: int | None) -> None:
        """Refuse a memory limit below the `before` bytes that a worker needs without any run."""
        limit = self._limits.memory
        if limit is not None and before is not None and before >= limit:
            raise ParameterError(
                f"A worker needs {byte_size(before)} before it runs anything: a memory limit of {byte_size(limit)} is "
                "too small."
            )


def _where(record: RunRecord) -> str:
    """The place in the order of tasks that a run had reached, in words."""
    learned = len(record.learn_seconds)
    if learned >= len(record.order):
        return "after the last task"
    return f"at task '{record.order[learned]}' ({learned + 1} of {len(record.order)})"


def describe_end(code: int | None, *, memory_limit: int | None, kernel_killed: bool, where: str) -> tuple[str, str]:
    """Turn the exit code of a worker that ended during a run into a status and a sentence."""
    if code == -SIGKILL:
        if kernel_killed:
            return OUT_OF_MEMORY, f"the kernel stopped it {where}: the machine had no memory left."
        return CRASHED, f"its process was killed (SIGKILL) {where}."
    if code is None:
        return CRASHED, f"it closed its pipe to lcbench {where} and its process had to be stopped."
    if code < 0:
        limited = f" The memory limit was {byte_size(memory_limit)}." if memory_limit is not None else ""
        return CRASHED, f"its process was ended by {process_limits.signal_name(-code)} {where}.{limited}"
    return CRASHED, f"its process ended itself with exit code {code} {where}."


def last_lines(output: str) -> list[str]:
    """The last lines of output that are not blank; of a crash the innermost frames, up to lcbench's own."""
    lines = [line.rstrip()[:300] for line in output.splitlines() if line.strip()]
    trace = next((i for i, line in enumerate(lines) if line.startswith("Fatal Python error")), None)
    if trace is None:
        return lines[-LINES_KEPT:]
    ours = next((i for i, line in enumerate(lines) if i > trace and _OURS in line), None)
    return lines[trace:ours][:LINES_KEPT]

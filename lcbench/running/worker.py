"""The main program of a worker process: carries out the runs that its parent sends."""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from lcbench.errors import LcbenchError
from lcbench.records.record import OK
from lcbench.running import process_limits
from lcbench.running.messages import MessageError, private_pipes, receive, send

if TYPE_CHECKING:
    from lcbench.contract.metric import Metric
    from lcbench.contract.task import LabelledTask
    from lcbench.running.messages import Job, Setup
    from lcbench.running.shared_data import SharedStream

STREAMS_KEPT = 2
MOST_LOGGED = 1000  # messages per run


def main() -> None:
    """Carry out runs until the parent closes the pipe."""
    tasks, answers = private_pipes(silent=False)
    _keep_from_forks((tasks, answers))
    faulthandler.enable()  # writes a crash to standard error, whose last part the parent keeps
    process_limits.leave_no_core_files()
    try:
        setup: Setup = receive(tasks)
        process_limits.die_with_parent(setup.parent)
        _Worker(setup, answers).serve(tasks)
    except MessageError:
        sys.exit(0)


def _keep_from_forks(pipes: tuple[BinaryIO, ...]) -> None:
    """Close the pipes in forks of this process: if one held them, the parent would not notice the worker's end."""
    null = os.open(os.devnull, os.O_RDWR)

    def leave() -> None:
        for pipe in pipes:
            os.dup2(null, pipe.fileno(), inheritable=False)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=leave)


class _Worker:
    """Carries out runs one after the other; metrics and the last streams stay loaded."""

    def __init__(self, setup: Setup, answers: BinaryIO) -> None:
        from lcbench.audit import memory  # noqa: F401  modules that a run needs are loaded before the first one
        from lcbench.registry.host import plugin_host
        from lcbench.registry.metrics import load_metrics
        from lcbench.running import shared_data, single_run  # noqa: F401
        from lcbench.running.provenance import environment_facts

        self._answers = answers
        self._setup = setup
        self._log = _ForwardingHandler(self._say)
        _forward_logs(self._log, setup.log_level)
        self._metrics: dict[tuple[str, ...], dict[str, Metric]] = {(): load_metrics((), plugin_host().registry)}
        self._streams: dict[Path, tuple[LabelledTask, ...]] = {}
        facts = environment_facts()
        before = process_limits.private_bytes()
        if setup.memory_limit is not None and process_limits.can_limit_memory():
            process_limits.limit_memory(setup.memory_limit)
        self._say("ready", facts, before)

    def serve(self, tasks: BinaryIO) -> None:
        """Carry out jobs until the pipe ends, which raises MessageError."""
        while True:
            job: Job = receive(tasks)
            self._run_job(job)

    def _say(self, kind: str, *content: Any) -> None:
        send(self._answers, (kind, *content))

    def _run_job(self, job: Job) -> None:
        from lcbench.running.planned_run import ConfiguredStream, PlannedRun
        from lcbench.running.single_run import execute_run

        record = job.record
        try:
            metrics = self._scored_by(job.metrics)
        except LcbenchError as error:  # not the fault of the method, and no run can go on without its metrics
            self._say("unable", str(error))
            return
        stream = ConfiguredStream(
            name=record.stream, label=record.stream_label, params=record.stream_params, digest=record.stream_digest,
            task_names=record.stream_tasks, make=_never, origin=None, _tasks=self._tasks(job.stream),
        )  # fmt: skip
        self._log.left = MOST_LOGGED
        counts_peak = process_limits.reset_peak()
        reports = _Reports(self._say)
        done = execute_run(PlannedRun(record, job.method, stream), metrics, reports, job.audit)
        peak = reports.peak if done.status == OK else process_limits.peak_bytes()  # without the replays of its audits
        for output in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # a method may have closed or replaced it
                output.flush()
        self._say("finished", done.status, done.error, done.traceback, peak if counts_peak else None, done.audit)

    def _scored_by(self, names: tuple[str, ...]) -> dict[str, Metric]:
        if names not in self._metrics:
            from lcbench.registry.host import plugin_host
            from lcbench.registry.metrics import load_metrics

            self._metrics[names] = load_metrics(names, plugin_host().registry)
        return self._metrics[names]

    def _tasks(self, shared: SharedStream) -> tuple[LabelledTask, ...]:
        if shared.folder not in self._streams:
            from lcbench.running.shared_data import mapped_tasks

            if len(self._streams) >= STREAMS_KEPT:
                del self._streams[next(iter(self._streams))]
            self._streams[shared.folder] = mapped_tasks(shared)
        return self._streams[shared.folder]


class _Reports:
    """Stands in for Events, as hooks fire in the parent. `peak` is the peak memory of the run without its audits."""

    def __init__(self, say: Any) -> None:
        self._say = say
        self.peak: int | None = None

    def fire(self, event: str, **arguments: Any) -> None:
        """Send the parent each step; it knows of the other events by itself."""
        if event == "lcbench_task_learned":
            self.peak = process_limits.peak_bytes()
            self._say("step", arguments["step"])


class _ForwardingHandler(logging.Handler):
    """Sends log messages to the parent, at most `left` more, so that a flood does not fill its memory."""

    def __init__(self, say: Any) -> None:
        super().__init__()
        self._say = say
        self.left = MOST_LOGGED

    def emit(self, record: logging.LogRecord) -> None:
        self.left -= 1
        if self.left < 0:
            if self.left == -1:
                self._say("log", logging.WARNING, __name__, f"only its first {MOST_LOGGED:,} messages are shown.")
            return
        try:
            text = record.getMessage()
            if record.exc_info:
                text += "\n" + logging.Formatter().formatException(record.exc_info)
        except Exception:  # arguments that do not fit the message; logging must not raise
            self.handleError(record)
            return
        self._say("log", record.levelno, record.name, text)


def _forward_logs(handler: logging.Handler, level: int) -> None:
    """Send log messages and warnings of this process to the parent, which shows them."""
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("lcbench").setLevel(level)

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        where = f"{Path(filename).name}:{lineno}"
        logging.getLogger("lcbench.warnings").warning("%s: %s (%s)", category.__name__, message, where)

    warnings.showwarning = show


def _never() -> Any:
    raise AssertionError("a worker's stream is shared, not made")

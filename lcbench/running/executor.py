"""Carries out planned runs, each in a process of its own or, if need be, in this one.

An executor is any object that can do what the Protocol `Executor` says: one for a cluster is a class in a file of its
own, handed to `lcbench.run(executor=...)`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lcbench.errors import ParameterError

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord
    from lcbench.registry.events import Events
    from lcbench.running.launching import Server
    from lcbench.running.planned_run import ConfiguredStream, PlannedRun

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """The number of runs at a time, and the threads, seconds and bytes that each may use."""

    jobs: int = 1
    threads: int = 1
    timeout: float | None = None
    memory: int | None = None


class Executor(Protocol):
    """Carries out runs somewhere: in this process, in processes of their own, on other machines."""

    def started(self, runs: Sequence[PlannedRun]) -> AbstractContextManager[object]:
        """A context in which `execute` can be called; what takes long may start up while data are being loaded."""

    def execute(
        self, runs: Sequence[PlannedRun], metrics: Sequence[str], audits: Mapping[str, tuple[str, ...]], events: Events
    ) -> Iterator[RunRecord]:
        """Carry out the runs, report their events, and yield their records in any order.

        `metrics` are computed besides the external ones; `audits` names the audits of each run by its id.
        """


class InProcess:
    """Carries out runs in this process, one after the other; scores are computed in another one."""

    def started(self, runs: Sequence[PlannedRun]) -> AbstractContextManager[object]:
        """Nothing needs to be started."""
        return nullcontext()

    def execute(
        self, runs: Sequence[PlannedRun], metrics: Sequence[str], audits: Mapping[str, tuple[str, ...]], events: Events
    ) -> Iterator[RunRecord]:
        """Carry out the runs in their order."""
        if not runs:
            return
        from lcbench.running.launching import shared_server
        from lcbench.running.scorers import Scorers
        from lcbench.running.single_run import execute_run

        scorers = Scorers(metrics, shared_server(runs[0].like.threads))
        try:
            scorers.start()
            for planned in runs:
                yield execute_run(planned, scorers.rows, events, audits[planned.run_id])
        finally:
            scorers.close()


class Processes:
    """Carries out each run in a fresh process, with limits on time and memory.

    With `hidden` these processes are sealed off from the network, from other processes and from the folders named. A
    run whose method no other process can import, such as a class of a notebook, is carried out in this process.
    """

    def __init__(self, limits: Limits, hidden: Iterable[Path] | None = None) -> None:
        self._limits = limits
        self._hidden = None if hidden is None else list(hidden)
        self._sealed_server: Server | None = None

    @property
    def sealed(self) -> bool:
        """True if runs are sealed off."""
        return self._hidden is not None

    @contextmanager
    def started(self, runs: Sequence[PlannedRun]) -> Iterator[None]:
        """Start the server that the processes are forked from, if there is anything to do; a sealed one ends after."""
        try:
            if runs:
                self._server().start()
            yield
        finally:
            if self._sealed_server is not None:
                self._sealed_server.close()
                self._sealed_server = None

    def execute(
        self, runs: Sequence[PlannedRun], metrics: Sequence[str], audits: Mapping[str, tuple[str, ...]], events: Events
    ) -> Iterator[RunRecord]:
        """Carry out the runs, several at a time."""
        away, here = divided(runs, self._limits, sealed=self.sealed)
        if away:
            from lcbench.running.launching import shared_server
            from lcbench.running.pool import Pool

            scoring = shared_server(self._limits.threads)
            pool = Pool(self._limits, self._server(), scoring, metrics, sealed=self.sealed)
            yield from pool.run_all(away, audits, events)
        yield from InProcess().execute(here, metrics, audits, events)

    def _server(self) -> Server:
        from lcbench.running.launching import sealed_server, shared_server

        if self._hidden is None:
            return shared_server(self._limits.threads)
        if self._sealed_server is None:
            self._sealed_server = sealed_server(self._limits.threads, self._hidden)
        return self._sealed_server


def divided(runs: Sequence[PlannedRun], limits: Limits, *, sealed: bool) -> tuple[list[PlannedRun], list[PlannedRun]]:
    """The runs that can have a process of their own, and those whose method no other process can import."""
    away = [planned for planned in runs if planned.can_be_sent]
    here = [planned for planned in runs if not planned.can_be_sent]
    labels = ", ".join(dict.fromkeys(planned.like.label for planned in here))
    if here and sealed:
        raise ParameterError(
            f"{labels} cannot be sealed, as no other process can import the class: put it in a module."
        )
    if here and (limits.timeout is not None or limits.memory is not None):
        logger.warning(
            "%s: no other process can import the class, so it runs in this one without limits: put it in a module.",
            labels,
        )
    return away, here


def streams_of(runs: Iterable[PlannedRun]) -> list[ConfiguredStream]:
    """The streams of planned runs, each once."""
    return list({id(planned.stream): planned.stream for planned in runs}.values())

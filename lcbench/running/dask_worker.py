"""The worker's side of a Dask cluster: carries out runs for lcbench on another machine.

A station is all that a worker keeps of an experiment: a clean server, and tasks without labels. lcbench opens one on
each worker, hands it each stream once, has it carry out runs, and closes it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import platform
import signal
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lcbench.running.assignment import Assignment
from lcbench.running.executor import Limits
from lcbench.running.forwarded_logs import MOST_LOGGED
from lcbench.running.isolated_run import Ending, IsolatedRun
from lcbench.running.launching import Server, sealed_server
from lcbench.running.parcels import PackedTask, TaskParcels
from lcbench.running.pool import check_room
from lcbench.running.provenance import code_hash, environment_facts, package_version
from lcbench.running.replays import learned_and_audited
from lcbench.running.settings import Surroundings
from lcbench.running.steps import Learned


class MissingError(Exception):
    """A worker has no station for an experiment, or not the stream of a run."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What a station is told: the limits of runs, settings of lcbench's process, folders to hide from sealed runs.

    A worker that is `ours` was started by lcbench.
    """

    limits: Limits
    surroundings: Surroundings
    hidden: tuple[str, ...] | None = None
    ours: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """The steps of a run and its end, the facts about its machine, and what its process logged."""

    steps: Sequence[Learned]
    ending: Ending
    environment: dict[str, Any]
    logs: Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Needs:
    """Needs of an experiment on every machine: distributions by version, packages by the hash of their code.

    `modules` must be there, whatever their version: those of methods given from Python.
    """

    distributions: tuple[str, ...]
    packages: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    def found(self) -> dict[str, str | None]:
        """The versions, hashes and modules that are here, None for what is missing."""
        python = ".".join(platform.python_version_tuple()[:2])
        found: dict[str, str | None] = {"Python": python}
        found |= {name: package_version(name) for name in self.distributions}
        found |= {f"the code of {name}": code_hash(name) for name in self.packages}
        return found | {f"the module {name}": _is_there(name) for name in self.modules}


def _is_there(module: str) -> str | None:
    try:
        return None if importlib.util.find_spec(module) is None else "there"
    except (ImportError, ValueError):
        return None


class Station:
    """A clean server for an experiment, its streams without labels, and the runs that are being carried out."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._server = self._started()
        self._streams: dict[str, TaskParcels] = {}
        self._running: dict[str, IsolatedRun] = {}
        self._stopped: set[str] = set()
        self._lock = threading.Lock()

    def _started(self) -> Server:
        """A server that is being started; to wait until it is ready would take Dask's time."""
        threads, around, hidden = self._orders.limits.threads, self._orders.surroundings, self._orders.hidden
        if hidden is None:
            server = Server(threads, surroundings=around)
        else:
            from lcbench.data.sources.locations import cache_folder, data_folder

            own = [cache_folder(), data_folder()]
            with contextlib.suppress(OSError):
                cache_folder().mkdir(parents=True, exist_ok=True)  # what is not there cannot be hidden
            server = sealed_server(threads, [Path(folder) for folder in (*hidden, *own) if folder is not None], around)
        server.start()
        return server

    def take(self, stream: str, tasks: Sequence[PackedTask]) -> None:
        """Keep the tasks of a stream."""
        with self._lock:
            if stream not in self._streams:
                self._streams[stream] = TaskParcels(tasks, self._server.parcel_folder, labelled=False)

    def carry_out(self, key: str, assigned: Assignment, stream: str, audits: Sequence[str]) -> Report:
        """Carry out one run, known by its key."""
        if stream not in self._streams:
            raise MissingError
        limits, facts = self._orders.limits, self._server.facts
        check_room(limits, facts["private_bytes"])
        logs = _LogsKept(self._orders.surroundings.log_level)
        run = IsolatedRun(assigned, self._streams[stream], self._server, limits, logs)
        self._running[key] = run
        try:
            if key in self._stopped:  # else it is not yet known, or can be stopped
                run.stop()
            steps = list(learned_and_audited(run, audits))
        finally:
            del self._running[key]
        return Report(steps, run.ending, environment_facts(facts["libraries"]), logs.kept)

    def stop(self, keys: Iterable[str]) -> None:
        """Have some runs ended, also if they are only about to begin."""
        self._stopped |= set(keys)
        for key, run in list(self._running.items()):
            if key in self._stopped:
                run.stop()

    def close(self) -> None:
        """End the server, and all that it started."""
        self.stop(list(self._running))
        self._server.close()
        for parcels in self._streams.values():
            parcels.close()


class _LogsKept:
    """Keeps what a process logs for the report of its run."""

    def __init__(self, level: int) -> None:
        self.kept: list[dict[str, Any]] = []
        self._level = level

    def show(self, message: dict[str, Any]) -> None:
        level = message.get("level")
        if len(self.kept) <= MOST_LOGGED and isinstance(level, int) and level >= self._level:
            self.kept.append({name: message.get(name) for name in ("level", "name", "text")})


_stations: dict[str, Station] = {}
_opening = threading.Lock()


def open_station(name: str, orders: Orders, needs: Needs, dask_worker: Any = None) -> dict[str, str | None]:
    """Open a station on this worker, unless it is open, and return what the worker has of the needs.

    Raises LcbenchError if runs cannot be carried out here.
    """
    if orders.ours:  # Ctrl-C is for lcbench, which ends its own cluster
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    if orders.hidden is not None and dask_worker is not None:  # where Dask may have written data
        orders = replace(orders, hidden=(*orders.hidden, str(dask_worker.local_directory)))
    with _opening:
        if name not in _stations:
            _stations[name] = Station(orders)
    return needs.found()


def _station(name: str) -> Station:
    try:
        return _stations[name]
    except KeyError:
        raise MissingError from None


def take_stream(name: str, stream: str, tasks: Sequence[PackedTask]) -> None:
    """Hand a stream to the station of this worker; MissingError if there is none."""
    _station(name).take(stream, tasks)


def carry_out(name: str, key: str, assigned: Assignment, stream: str, audits: Sequence[str], handed: None) -> Report:
    """Carry out a run in the station of this worker; MissingError if there is none, or it lacks the stream.

    `handed` is what `take_stream` returned for the stream: Dask waits for it.
    """
    return _station(name).carry_out(key, assigned, stream, audits)


def stop_runs(name: str, keys: Sequence[str]) -> None:
    """Have runs of an experiment ended that are on this worker."""
    if name in _stations:
        _stations[name].stop(keys)


def close_station(name: str) -> None:
    """Close the station of an experiment on this worker."""
    station = _stations.pop(name, None)
    if station is not None:
        threading.Thread(target=station.close, daemon=True).start()  # Dask's own work must not wait for it

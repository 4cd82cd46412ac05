"""The worker's side of a Dask cluster: carries out runs for lcbench on another machine.

A station is all that a worker keeps of an experiment: a clean server, and tasks without labels. lcbench opens one on
each worker, hands it each stream once, has it carry out runs, and closes it. What a run needs comes as plain data; what
it gave goes back as a report.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import pickle
import platform
import signal
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.errors import LcbenchError
from lcbench.registry.file_modules import SourceFile
from lcbench.running.assignment import Assignment
from lcbench.running.executor import Limits
from lcbench.running.forwarded_logs import MOST_LOGGED
from lcbench.running.isolated_run import IsolatedRun
from lcbench.running.launching import Server, sealed_server
from lcbench.running.parcels import PackedTask, TaskParcels
from lcbench.running.pool import check_room
from lcbench.running.provenance import code_hash, environment_facts, package_version
from lcbench.running.replays import learned_and_audited
from lcbench.running.reports import packed_end, packed_step
from lcbench.running.settings import Surroundings

if TYPE_CHECKING:
    from lcbench.contract.clusterer import Clusterer

NO_STATION, NO_STREAM = "station", "stream"  # what a worker may lack that is to carry out a run


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

    def __init__(self, orders: Mapping[str, Any]) -> None:
        files = {name: SourceFile(*file) for name, file in orders["plugin_files"].items()}
        self._around = Surroundings(files, orders["hash_seed"], orders["log_level"])
        self._limits = Limits(**orders["limits"])
        self._server = self._started(orders["hidden"])
        self._streams: dict[str, TaskParcels] = {}
        self._running: dict[str, IsolatedRun] = {}
        self._stopped: set[str] = set()
        self._environment: dict[str, Any] | None = None
        self._lock = threading.Lock()

    def _started(self, hidden: Sequence[str] | None) -> Server:
        if hidden is None:
            return Server(self._limits.threads, surroundings=self._around)
        from lcbench.data.sources.locations import cache_folder, data_folder

        own = [cache_folder(), data_folder()]
        folders = [*map(Path, hidden), *(folder for folder in own if folder is not None)]
        with contextlib.suppress(OSError):
            cache_folder().mkdir(parents=True, exist_ok=True)  # what is not there cannot be hidden
        return sealed_server(self._limits.threads, folders, self._around)

    def start(self) -> None:
        """Start the server without waiting until it is ready."""
        self._server.start()

    def take(self, stream: str, tasks: Sequence[tuple[str, bytes]]) -> None:
        """Keep the tasks of a stream, by the hash of their content."""
        packed = [PackedTask(json.loads(described), content) for described, content in tasks]
        with self._lock:
            if stream not in self._streams:
                self._streams[stream] = TaskParcels(packed, self._server.parcel_folder, labelled=False)

    def has(self, stream: str) -> bool:
        """True if the tasks of a stream are here."""
        return stream in self._streams

    def carry_out(self, key: str, assigned: Assignment, stream: str, audits: Sequence[str]) -> list[bytes]:
        """Carry out one run, known by its key; the messages of its report."""
        facts = self._server.facts
        check_room(self._limits, facts["private_bytes"])
        logs = _LogsKept(self._around.log_level)
        run = IsolatedRun(assigned, self._streams[stream], self._server, self._limits, logs)
        self._running[key] = run
        try:
            if key in self._stopped:  # else it is not yet known, or can be stopped
                run.stop()
            steps = [packed_step(assigned, step) for step in learned_and_audited(run, audits)]
        finally:
            del self._running[key]
        if self._environment is None:
            self._environment = environment_facts(facts["libraries"])
        return [*steps, packed_end(run.ending, self._environment, logs.kept)]

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


class _Pickled:
    """A method's `make`, pickled by lcbench: it is unpickled in the method's process, not in that of the worker."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        return pickle.loads, (self._content,)

    def __call__(self) -> Clusterer:
        raise NotImplementedError("a method is built in its own process")


_stations: dict[str, Station] = {}
_opening = threading.Lock()


def open_station(name: str, orders: str, needs: Needs, dask_worker: Any = None) -> str:
    """Open a station on this worker, unless it is open; JSON of what the worker has, or of why it cannot."""
    found = json.loads(orders)
    if found.get("ours"):  # Ctrl-C is for lcbench, which ends its own cluster
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    if found["hidden"] is not None and dask_worker is not None:  # where Dask may have written data
        found["hidden"].append(str(dask_worker.local_directory))
    facts: dict[str, Any] = {"found": needs.found()}
    try:
        with _opening:
            if name not in _stations:
                station = Station(found)
                station.start()
                _stations[name] = station
    except LcbenchError as error:
        facts["refused"] = str(error)
    return json.dumps(facts)


def take_stream(name: str, stream: str, tasks: Sequence[tuple[str, bytes]]) -> bool:
    """Hand a stream to the station of this worker; False if there is none."""
    station = _stations.get(name)
    if station is not None:
        station.take(stream, tasks)
    return station is not None


def carry_out(
    name: str, key: str, facts: str, make: bytes, stream: str, audits: Sequence[str], handed: bool = True
) -> list[bytes]:
    """Carry out a run in the station of this worker: the messages of its report.

    One message alone, of JSON, says that something is missing, or why no run can be carried out here. `handed` is what
    `take_stream` returned for the stream: Dask waits for it.
    """
    station = _stations.get(name)
    if station is None or not (handed and station.has(stream)):
        return [_said(missing=NO_STATION if station is None else NO_STREAM)]
    told = json.loads(facts)
    told |= {name: tuple(told[name]) for name in ("order", "places", "sizes")}
    assigned = Assignment(make=_Pickled(make), **told)
    try:
        return station.carry_out(key, assigned, stream, audits)
    except LcbenchError as error:
        return [_said(refused=str(error))]


def _said(**facts: str) -> bytes:
    return json.dumps(facts).encode()


def stop_runs(name: str, keys: Sequence[str]) -> None:
    """Have runs of an experiment ended that are on this worker."""
    station = _stations.get(name)
    if station is not None:
        station.stop(keys)


def close_station(name: str) -> None:
    """Close the station of an experiment on this worker."""
    station = _stations.pop(name, None)
    if station is not None:
        threading.Thread(target=station.close, daemon=True).start()  # Dask's own work must not wait for it

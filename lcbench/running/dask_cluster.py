"""The connection to a Dask cluster: compares its workers, hands them streams without labels."""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lcbench.errors import ClusterError, LcbenchError, MissingExtraError, ParameterError
from lcbench.running.dask_worker import Needs, Orders, close_station, open_station, take_stream
from lcbench.running.parcels import packed_task

if TYPE_CHECKING:
    from lcbench.running.planned_run import ConfiguredStream

logger = logging.getLogger(__name__)
INSTALL = "pip install 'lcbench[dask]'"
SECONDS_FOR_WORKERS = 60.0  # that a cluster may take until its first worker is there
SECONDS_TO_RETURN = 120.0  # that a scheduler may be away
SECONDS_TO_CONNECT = 5.0
SECONDS_TO_ASK = 120.0  # all workers, for what they answer at once
SECONDS_TO_LEAVE = 10.0
SECONDS_BETWEEN_LOOKS = 1.0
MOST_NAMED = 5  # differences of workers in one sentence


class LostError(Exception):
    """The scheduler is gone."""


def differences(here: Mapping[str, str | None], there: Mapping[str, Any]) -> list[str]:
    """The differences between this machine and a worker, in words."""
    found = []
    for name, own in here.items():
        other = there.get(name)
        if other is None and own is not None:
            found.append(f"{name} is missing")
        elif other != own:
            is_version = not name.startswith("the ")
            found.append(f"{name} is {other}, here {own or 'missing'}" if is_version else f"{name} is another one")
    return found


class Cluster:
    """The connection to a cluster, and the stations on its workers."""

    def __init__(self, address: str | None, jobs: int) -> None:
        self.name = f"lcbench-{os.urandom(8).hex()}"
        self._given = _address(address)
        self._own: Any = None
        self._scattered: dict[int, Any] = {}
        self._handed: dict[tuple[int, str], Any] = {}
        self._corner = contextlib.ExitStack()
        self.ready: dict[str, int] = {}
        self.heard: Callable[[tuple[Any, Any]], None] = lambda event: None
        self._corner.enter_context(_silenced())
        if self._given is None:
            self._own = self._start(jobs)
        self.client = self._connect(SECONDS_TO_CONNECT)

    def _start(self, jobs: int) -> Any:
        from distributed import LocalCluster

        folder = self._corner.enter_context(tempfile.TemporaryDirectory(prefix="lcbench-dask-"))
        variables = dict(os.environ)
        try:
            return LocalCluster(
                n_workers=jobs, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                local_directory=folder, memory_limit=None, silence_logs=logging.CRITICAL,
            )  # fmt: skip
        finally:  # Dask sets those of its workers here too, and so another seed of Python's hashes for later runs
            os.environ.clear()
            os.environ.update(variables)

    def _connect(self, seconds: float) -> Any:
        from distributed import Client

        try:
            client = Client(self._own or self._given, timeout=seconds, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(f"There is no Dask scheduler at {self._given} ({type(error).__name__}).") from error
        except TypeError as error:  # that is how Dask says it
            raise ClusterError(
                f"The connection to the Dask scheduler at {self._given} needs TLS: give Dask's configuration a "
                "certificate and its key (distributed.comm.tls)."
            ) from error
        client.subscribe_topic("all", lambda event: self.heard(event))
        return client

    def slots(self) -> dict[str, int]:
        """The threads of each worker by its address; waits until there is a worker."""
        deadline = time.monotonic() + SECONDS_FOR_WORKERS
        while not (found := self.nthreads()):
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"The Dask scheduler at {self._given} has no workers: start some, as docs/cluster.md says."
                )
            time.sleep(0.2)
        return found

    def nthreads(self) -> dict[str, int]:
        """The threads of each worker that is there now; LostError if the scheduler is gone."""
        try:
            return dict(self.client.nthreads(callback_timeout=SECONDS_TO_CONNECT))
        except (OSError, TimeoutError, ValueError, RuntimeError, AttributeError) as error:
            raise LostError from error

    @property
    def is_connected(self) -> bool:
        """True if the scheduler is there."""
        return bool(self.client.status == "running")

    def open(self, orders: Orders, needs: Needs) -> None:
        """Open a station on every worker, which makes it ready; ClusterError if one lacks what the runs need."""
        self._orders, self._needs = replace(orders, ours=self._own is not None), needs
        self.ready = self._opened()

    def _opened(self) -> dict[str, int]:
        """The workers on which a station could be opened, with their threads; ClusterError if there are others."""
        slots = self.slots()
        able, problems = self.open_on(list(slots))
        if problems:
            more = f"; and {len(problems) - MOST_NAMED} more" if len(problems) > MOST_NAMED else ""
            raise ClusterError(
                f"Dask workers differ from this machine: {'; '.join(problems[:MOST_NAMED])}{more}. Install the same "
                "versions everywhere."
            )
        return {worker: threads for worker, threads in slots.items() if worker in able}

    def open_on(self, workers: Sequence[str]) -> tuple[set[str], list[str]]:
        """Open a station on some workers: those that can carry out the runs, and the problems of the others."""
        here = self._needs.found()
        able, problems = set(), []
        answers = self.ask(open_station, self.name, self._orders, self._needs, workers=workers)
        for worker in (set(workers) - answers.keys()) & self.nthreads().keys():
            problems.append(f"{worker} did not answer within {SECONDS_TO_ASK:g} s")
        for worker, answer in answers.items():
            if isinstance(answer, ModuleNotFoundError):
                problems.append(f"on {worker} {(answer.name or 'lcbench').partition('.')[0]} is missing")
                continue
            if isinstance(answer, LcbenchError):
                raise ParameterError(f"On the Dask worker {worker}: {answer}")
            if isinstance(answer, Exception):
                problems.append(f"{worker} answers with {type(answer).__name__}: {answer}")
                continue
            found = [f"on {worker} {difference}" for difference in differences(here, answer)]
            problems += found
            able |= set() if found else {worker}
        return able, problems

    def ask(self, function: Callable[..., Any], *arguments: Any, workers: Sequence[str]) -> dict[str, Any]:
        """Call a function on workers, and return what each answers; nothing if that takes too long."""
        found: dict[str, Any] = {}

        def call() -> None:
            with contextlib.suppress(Exception):  # what has no answer is seen by that
                found.update(self.client.run(function, *arguments, workers=list(workers), on_error="return"))

        thread = threading.Thread(target=call, daemon=True)
        thread.start()
        thread.join(SECONDS_TO_ASK)
        return found

    def hand_out(self, stream: ConfiguredStream, worker: str) -> tuple[str, Any]:
        """Have a worker take the tasks of a stream, without labels, unless it has: their name there, and Dask's future.

        The data go to the cluster once, from where workers hand them on.
        """
        name = f"stream-{id(stream)}"
        handed = self._handed.get((id(stream), worker))
        if handed is None or handed.status not in ("pending", "finished"):
            data = self._scattered.get(id(stream))
            if data is None or data.status != "finished":
                key = f"{self.name}-{name}-{os.urandom(4).hex()}"
                tasks = [packed_task(labelled) for labelled in stream.tasks()]
                data = self._scattered[id(stream)] = self.client.scatter({key: tasks})[key]
            handed = self._handed[id(stream), worker] = self.client.submit(
                take_stream, self.name, name, data, workers=[worker], allow_other_workers=False, pure=False,
                key=f"{self.name}-take-{name}-{os.urandom(4).hex()}",
            )  # fmt: skip
        return name, handed

    def forget(self, worker: str) -> None:
        """Forget what a worker was handed."""
        self._handed = {key: future for key, future in self._handed.items() if key[1] != worker}

    def return_to(self) -> dict[str, int]:
        """Wait for a scheduler that went away, and make its workers ready; ClusterError if it stays away."""
        logger.warning("The Dask scheduler at %s is gone: waiting for it.", self._given)
        with contextlib.suppress(Exception):
            self.client.close(timeout=1)
        deadline = time.monotonic() + SECONDS_TO_RETURN
        self._scattered.clear()
        self._handed.clear()
        while True:
            try:
                self.client = self._connect(SECONDS_TO_CONNECT)
                self.ready = self._opened()
                return self.ready
            except (ClusterError, LostError) as error:
                if time.monotonic() > deadline:
                    raise ClusterError(
                        f"The Dask scheduler at {self._given} did not come back within {SECONDS_TO_RETURN:g} s: "
                        f"runs that had ended are kept ({error})."
                    ) from None
            time.sleep(SECONDS_BETWEEN_LOOKS)

    def close(self) -> None:
        """Close the stations, let go of the cluster as it was, and end it if it was started here."""
        self.heard = lambda event: None
        self._scattered.clear()
        self._handed.clear()
        leaving = threading.Thread(target=self._leave, daemon=True)
        leaving.start()
        leaving.join(SECONDS_TO_LEAVE)
        self._corner.close()

    def _leave(self) -> None:
        with contextlib.suppress(Exception):
            if self.is_connected:
                self.client.run(close_station, self.name, on_error="ignore")
        with contextlib.suppress(Exception):
            self.client.unsubscribe_topic("all")  # else the scheduler writes to a connection that is closed
            self.client.close(timeout=2)
        with contextlib.suppress(Exception):
            if self._own is not None:
                self._own.close(timeout=5)


def is_local(address: str | None) -> bool:
    """True if a cluster would be started on this machine: there is no address, nor one in Dask's configuration."""
    return _address(address) is None


def _address(given: str | None) -> str | None:
    configured = _imported().config.get("scheduler-address", None)
    found = given or configured
    return None if found is None else str(found)


@contextlib.contextmanager
def _silenced() -> Iterator[None]:
    """Silences Dask's own messages on this machine inside the block: what is to be said is said by lcbench."""
    found = [name for name in logging.Logger.manager.loggerDict if name.partition(".")[0] == "distributed"]
    before = {name: logging.getLogger(name).level for name in found}
    for name in found:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def _imported() -> Any:
    try:
        import dask
        import distributed  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(f"The executor dask needs the packages dask and distributed: {INSTALL}.") from error
    return dask

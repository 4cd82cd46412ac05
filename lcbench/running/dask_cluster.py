"""The connection to a Dask cluster: compares its workers, hands them streams without labels."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lcbench.errors import ClusterError, MissingExtraError, ParameterError
from lcbench.running.dask_worker import Needs, close_station, open_station, take_stream

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
        self._orders, self._needs = "", Needs(())
        self._scattered: dict[int, tuple[str, Any]] = {}
        self._packed: dict[int, tuple[str, list[tuple[str, bytes]]]] = {}
        self._corner = contextlib.ExitStack()
        self.removed: Callable[[tuple[Any, Any]], None] = lambda event: None
        self._corner.enter_context(_silenced())
        if self._given is None:
            self._own = self._start(jobs)
        self.client = self._connect(SECONDS_TO_CONNECT)

    def _start(self, jobs: int) -> Any:
        from distributed import LocalCluster

        folder = self._corner.enter_context(tempfile.TemporaryDirectory(prefix="lcbench-dask-"))
        return LocalCluster(
            n_workers=jobs, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            local_directory=folder, memory_limit=None, silence_logs=logging.CRITICAL,
        )  # fmt: skip

    def _connect(self, seconds: float) -> Any:
        from distributed import Client

        try:
            client = Client(self._own or self._given, timeout=seconds, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(f"There is no Dask scheduler at {self._given} ({type(error).__name__}).") from error
        client.subscribe_topic("all", lambda event: self.removed(event))
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
            return dict(self.client.nthreads())
        except (OSError, ValueError, RuntimeError, AttributeError) as error:
            raise LostError from error

    @property
    def is_connected(self) -> bool:
        """True if the scheduler is there."""
        return bool(self.client.status == "running")

    def open(self, orders: Mapping[str, Any], needs: Needs) -> None:
        """Open a station on every worker; ClusterError if one lacks something that the runs need."""
        self._orders, self._needs = json.dumps({**orders, "ours": self._own is not None}), needs
        self.open_on(list(self.slots()))

    def open_on(self, workers: Sequence[str]) -> None:
        """Open a station on some workers."""
        here = self._needs.found()
        problems = []
        for worker, answer in self.ask(open_station, self.name, self._orders, self._needs, workers=workers).items():
            if isinstance(answer, ModuleNotFoundError):
                problems.append(f"on {worker} {(answer.name or 'lcbench').partition('.')[0]} is missing")
                continue
            if isinstance(answer, Exception):
                problems.append(f"{worker} answers with {type(answer).__name__}: {answer}")
                continue
            facts = json.loads(answer)
            if "refused" in facts:
                raise ParameterError(f"On the Dask worker {worker}: {facts['refused']}")
            problems += [f"on {worker} {difference}" for difference in differences(here, facts["found"])]
        if problems:
            more = f"; and {len(problems) - MOST_NAMED} more" if len(problems) > MOST_NAMED else ""
            raise ClusterError(
                f"Dask workers differ from this machine: {'; '.join(problems[:MOST_NAMED])}{more}. Install the same "
                "versions everywhere."
            )

    def ask(self, function: Callable[..., Any], *arguments: Any, workers: Sequence[str]) -> dict[str, Any]:
        """Call a function on workers, and return what each answers; ClusterError if that takes too long."""
        found: dict[str, Any] = {}

        def call() -> None:
            with contextlib.suppress(Exception):  # what has no answer is seen by that
                found.update(self.client.run(function, *arguments, workers=list(workers), on_error="return"))

        thread = threading.Thread(target=call, daemon=True)
        thread.start()
        thread.join(SECONDS_TO_ASK)
        return found

    def hand_out(self, stream: ConfiguredStream, workers: Sequence[str]) -> str:
        """Have workers take the tasks of a stream, without labels; the hash of their content."""
        digest, data = self._on_cluster(stream)
        pending = {worker: self._handing(digest, data, worker) for worker in workers}
        looked = time.monotonic()
        while pending := {worker: future for worker, future in pending.items() if not future.done()}:
            if not self.is_connected:
                raise LostError
            time.sleep(0.01)
            if time.monotonic() > looked + SECONDS_BETWEEN_LOOKS:  # who went away takes nothing
                there, looked = self.nthreads(), time.monotonic()
                pending = {worker: future for worker, future in pending.items() if worker in there}
        return digest

    def _handing(self, digest: str, data: Any, worker: str) -> Any:
        key = f"{self.name}-take-{digest[:16]}-{os.urandom(4).hex()}"
        return self.client.submit(take_stream, self.name, digest, data, workers=[worker], pure=False, key=key)

    def _on_cluster(self, stream: ConfiguredStream) -> tuple[str, Any]:
        """The content hash of a stream and its data on the cluster, from where workers hand them on."""
        if id(stream) not in self._packed:
            from lcbench.running.parcels import packed_task

            packed = [packed_task(labelled) for labelled in stream.tasks()]
            tasks = [(json.dumps(each.described), each.content) for each in packed]
            digest = hashlib.sha256()
            for described, content in tasks:
                digest.update(hashlib.sha256(described.encode()).digest() + hashlib.sha256(content).digest())
            self._packed[id(stream)] = digest.hexdigest(), tasks
        digest_text, tasks = self._packed[id(stream)]
        known = self._scattered.get(id(stream))
        if known is None or known[1].status != "finished":
            key = f"{self.name}-stream-{digest_text}-{os.urandom(4).hex()}"
            self._scattered[id(stream)] = digest_text, self.client.scatter({key: tasks})[key]
        return self._scattered[id(stream)]

    def return_to(self) -> None:
        """Wait for a scheduler that went away, and open stations on its workers; ClusterError if it stays away."""
        logger.warning("The Dask scheduler at %s is gone: waiting for it.", self._given)
        with contextlib.suppress(Exception):
            self.client.close(timeout=1)
        deadline = time.monotonic() + SECONDS_TO_RETURN
        self._scattered.clear()
        while True:
            try:
                self.client = self._connect(SECONDS_TO_CONNECT)
                self.open_on(list(self.slots()))
                return
            except (ClusterError, LostError) as error:
                if time.monotonic() > deadline:
                    raise ClusterError(
                        f"The Dask scheduler at {self._given} did not come back within {SECONDS_TO_RETURN:g} s: "
                        f"runs that had ended are kept ({error})."
                    ) from None
            time.sleep(SECONDS_BETWEEN_LOOKS)

    def close(self) -> None:
        """Close the stations, let go of the cluster as it was, and end it if it was started here."""
        self.removed = lambda event: None
        self._scattered.clear()
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

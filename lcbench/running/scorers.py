"""Has labels scored outside the method's process, one process per plugin of metrics."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lcbench.errors import PluginError
from lcbench.records.scoring import LARGEST
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import is_shown, metric_key, metric_spec, metrics_to_compute
from lcbench.running import process_limits
from lcbench.running.forwarded_logs import LogsShown, Told
from lcbench.running.launching import Server
from lcbench.running.parcels import Parcel, TaskParcels
from lcbench.running.process import End, Process
from lcbench.running.scoring_process import ScoringJob
from lcbench.running.spawned_process import Spawned
from lcbench.running.wire import WireError

if TYPE_CHECKING:
    from lcbench.contract.specs import Params
    from lcbench.contract.task import IntArray, LabelledTask
    from lcbench.registry.catalogue import Source
    from lcbench.running.steps import Labels, Row

    Cell = tuple[str, int]  # the name of a task, and the id of labels of it

logger = logging.getLogger(__name__)
SECONDS_TO_SCORE = 300.0  # the labels of one step, by the metrics of one plugin
SECONDS_TO_LOAD = 300.0
SECONDS_OF_SILENCE = 30.0  # until a warning says that scores are waited for
SIGKILL = 9  # not every platform has a name for it
MOST_TRIES = 3  # to score labels, if the process is killed each time


class _BrokenError(Exception):
    """A scoring process ended, took too long, or sent something that is no answer; the message says how.

    `killed` is True if it was ended by SIGKILL, which no metric does by accident.
    """

    def __init__(self, text: str, *, killed: bool = False) -> None:
        super().__init__(text)
        self.killed = killed


class Scorers:
    """Scores labels by every external metric, and by those called `names`, in processes forked from `server`.

    The metrics of one plugin share a process, which ends with `close`. A process that dies or takes too long is
    replaced; the metric at fault is named in a warning and left out from then on. One whose process is killed again
    and again, which need not be its fault, is left out too, as one that cannot be built, unless it was asked for, which
    is a PluginError: `unscored` are those whose scores are missing for that in the rows since it was last emptied. A
    score outside of the range that its metric declares is left out, with a warning that names the metric. A warning
    that was `told` is not shown again. For use by one thread; another one may call `stop`.
    """

    def __init__(self, names: Sequence[str], server: Server, told: Told | None = None) -> None:
        registry = plugin_host().registry
        asked = {key for name in names if not is_shown(key := metric_key(name, registry))}
        groups: dict[Source, dict[str, tuple[str, Params, Source]]] = {}
        self._keys: list[str] = []
        for key, described in metrics_to_compute(names, registry).items():
            self._keys.append(key)
            groups.setdefault(described[2], {})[key] = described
        self._scorers = [_Scorer(metrics, server, asked, told) for metrics in groups.values()]
        self._streams: dict[int, tuple[Sequence[LabelledTask], TaskParcels, dict[str, int]]] = {}
        self._server = server
        self.unscored: set[str] = set()
        self._warned: set[str] = set()

    def start(self) -> None:
        """Start the processes now, to learn before the first run if a metric that was asked for cannot be built."""
        for scorer in self._scorers:
            scorer.start()

    def rows(self, tasks: Sequence[LabelledTask], order: Sequence[str], steps: Sequence[Labels]) -> list[Row]:
        """For the labels of each step, the score of each task of `order` under each metric; None without labels.

        `tasks` are those of a stream: always the same object, so that they are handed over only once. Labels that
        several steps share are scored once.
        """
        nothing: Row = {key: [None] * len(order) for key in self._keys}  # one for all: a long stream has many
        rows = [{key: row.copy() for key, row in nothing.items()} if labels else nothing for labels in steps]
        cells = {(name, id(found)): found for labels in steps for name, found in labels.items()}
        if not cells:
            return rows
        if id(tasks) not in self._streams:
            parcels = TaskParcels(tasks, self._server.parcel_folder, labelled=True)
            self._streams[id(tasks)] = tasks, parcels, {labelled.name: i for i, labelled in enumerate(tasks)}
        _, parcels, places = self._streams[id(tasks)]
        at = [places[name] for name, _ in cells]
        columns = {name: j for j, name in enumerate(order)}
        numbers = {cell: number for number, cell in enumerate(cells)}
        targets = [
            (row, columns[name], numbers[name, id(own)])
            for row, labels in zip(rows, steps, strict=True)
            for name, own in labels.items()
        ]
        seconds = SECONDS_TO_SCORE * sum(map(bool, steps))
        for scorer in self._scorers:
            scored = scorer.scored(f"{id(tasks)}", parcels, at, list(cells.values()), seconds)
            self.unscored |= scorer.metrics - scored.keys()
            for key, values in scored.items():
                found = self._allowed(key, cells, values)
                for row, column, number in targets:
                    row[key][column] = found[number]
        return rows

    def _allowed(self, key: str, cells: Iterable[Cell], scores: list[float | None]) -> list[float | None]:
        """The scores of cells by a metric; None in place of those outside of its range."""
        spec = metric_spec(key)
        if spec is None or spec.range is None:
            return scores
        allowed = [score if score is None or spec.allows(score) else None for score in scores]
        if allowed != scores and key not in self._warned:
            self._warned.add(key)
            wrong = (
                (task, score) for (task, _), score, kept in zip(cells, scores, allowed, strict=True) if score != kept
            )
            (task, score), (low, high) = next(wrong), spec.range
            logger.warning(
                "Metric '%s' of %s scored %g on task '%s', and its spec declares a range from %g to %g: scores outside "
                "of it are left out.",
                key, plugin_host().registry.metrics.source(spec.name), score, task, low, high,
            )  # fmt: skip
        return allowed

    def stop(self) -> None:
        """Have the processes ended, and start no more; may be called from another thread."""
        for scorer in self._scorers:
            scorer.stop()

    def close(self) -> None:
        """End the processes."""
        for scorer in self._scorers:
            scorer.close()
        for _, parcels, _ in self._streams.values():
            parcels.close()
        self._streams.clear()


class _Scorer:
    """The process of the metrics of one plugin, started when it is needed first."""

    def __init__(
        self,
        metrics: dict[str, tuple[str, Params, Source]],
        server: Server,
        asked: Collection[str],
        told: Told | None,
    ) -> None:
        self._metrics = dict(metrics)
        self._asked = asked
        self._source = next(iter(metrics.values()))[2]
        self._server = server
        self._process: Process | Spawned | None = None
        self._there: set[str] = set()
        self._logs = LogsShown("", told)
        self._stopped = threading.Event()
        self._given_up: set[str] = set()

    @property
    def metrics(self) -> set[str]:
        """The keys of the metrics that were not left out by their own fault."""
        return {*self._metrics, *self._given_up}

    def stop(self) -> None:
        """Have the process ended, and start no more."""
        self._stopped.set()
        if (process := self._process) is not None:
            process.stop()

    def start(self) -> None:
        """Start the process; one that breaks is started again when labels are to be scored."""
        with contextlib.suppress(_BrokenError):
            self._started()

    def scored(
        self, stream: str, parcels: TaskParcels, tasks: Sequence[int], labels: Sequence[IntArray], seconds: float
    ) -> dict[str, list[float | None]]:
        """The scores of labels of some tasks by every metric that works and takes no longer than `seconds`."""
        if not self._metrics or self._stopped.is_set():
            return {}
        for _ in range(MOST_TRIES):
            try:
                self._started()  # after that it is known which of them can be built
                metrics = list(self._metrics)
                return self._ask(stream, parcels, tasks, labels, metrics, seconds) if metrics else {}
            except _BrokenError as error:
                if not error.killed:
                    break
        found: dict[str, list[float | None]] = {}
        for key in list(self._metrics):  # one by one, to see which of them it is
            try:
                found |= self._ask(stream, parcels, tasks, labels, [key], seconds)
            except _BrokenError as error:
                if self._stopped.is_set():
                    return found
                self._leave_out(key, f"Metric '{key}' of {self._source} is left out: {error}.", again=error.killed)
        return found

    def _ask(
        self,
        stream: str,
        parcels: TaskParcels,
        tasks: Sequence[int],
        labels: Sequence[IntArray],
        metrics: list[str],
        seconds: float,
    ) -> dict[str, list[float | None]]:
        process = self._started()
        try:
            for i in tasks:
                if (key := f"{stream}/{i}") not in self._there:
                    described, parcel = parcels.lent(i)
                    try:
                        process.send({"task": key, **described}, parcels=[parcel])
                    finally:
                        parcel.close()
                    self._there.add(key)
            asked = {"tasks": [f"{stream}/{i}" for i in tasks], "metrics": metrics}
            content = [each.astype("<i8").tobytes() for each in labels]
            parcel = Parcel.of(content, self._server.parcel_folder)
            try:
                process.send(asked, parcels=[parcel])
                answer = self._answer(process, seconds)
            finally:
                parcel.close()
            return _checked(answer, metrics, len(tasks))
        except (TimeoutError, WireError) as error:
            raise self._broken(error, seconds) from None

    def _started(self) -> Process | Spawned:
        if self._process is not None:
            return self._process
        if self._stopped.is_set():
            raise _BrokenError("it was stopped")
        self._process = process = self._server.launch("scoring", ScoringJob(self._metrics))
        self._there.clear()
        try:
            unable = self._answer(process, SECONDS_TO_LOAD).get("unable")
        except (TimeoutError, WireError) as error:
            raise self._broken(error, SECONDS_TO_LOAD) from None
        for key, why in unable.items() if isinstance(unable, dict) else ():
            if key in self._asked:
                self.close()
                raise PluginError(str(why))
            if key in self._metrics:
                self._leave_out(key, f"Metric '{key}' is left out: {why}", again=True)
        return process

    def _leave_out(self, key: str, why: str, *, again: bool) -> None:
        """Compute a metric no more; with `again` a later command may compute it from the labels."""
        self._logs.show({"level": logging.WARNING, "name": __name__, "text": why})
        del self._metrics[key]
        self._given_up |= {key} if again else set()

    def _broken(self, error: Exception, seconds: float) -> _BrokenError:
        """End a process that did not answer, and say how it went wrong."""
        if isinstance(error, TimeoutError):
            self.close()
            return _BrokenError(f"it took longer than {seconds:g} s")
        end = self._ended()
        return _BrokenError(_in_words(end, str(error)), killed=end.how == "ended" and end.status == -SIGKILL)

    def _answer(self, process: Process | Spawned, seconds: float) -> dict[str, Any]:
        """The next message that is no log; TimeoutError if none comes in time. Before that a warning says so."""
        deadline, silent = time.monotonic() + seconds, True
        while True:
            left = max(0.0, deadline - time.monotonic())
            try:
                message, _ = process.receive(min(left, SECONDS_OF_SILENCE) if silent else left)
            except TimeoutError:
                if not silent or left <= SECONDS_OF_SILENCE:
                    raise
                silent, names = False, ", ".join(self._metrics)
                text = f"{self._source} has been scoring for {SECONDS_OF_SILENCE:g} s ({names}); after {seconds:g} s "
                logger.warning("%sthe metric at fault is left out.", text)
                continue
            if message.get("say") != "log":
                return message
            self._logs.show(message)

    def _ended(self) -> End:
        process, self._process = self._process, None
        return End("lost") if process is None else process.end()

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()


def _checked(answer: dict[str, Any], metrics: Sequence[str], count: int) -> dict[str, list[float | None]]:
    """The scores of an answer; WireError if it is not what was asked for."""
    scores = answer.get("scores")
    if not isinstance(scores, dict) or list(scores) != list(metrics):
        raise WireError("its process sent no scores")
    for values in scores.values():
        if not isinstance(values, list) or len(values) != count:
            raise WireError("its process sent another number of scores")
        for value in values:
            number = type(value) in (int, float) and abs(value) <= LARGEST
            if not (value is None or number):
                raise WireError("its process sent scores that are no numbers")
    return scores


def _in_words(end: End, error: str) -> str:
    if end.how == "ended" and end.status:
        if end.status < 0:
            return f"it was ended by {process_limits.signal_name(-end.status)}"
        return f"it ended its process with exit code {end.status}"
    return f"its process went wrong ({error})"

"""Loads the data of all streams of an experiment; a bad stream costs its own runs only."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lcbench.contract.specs import MethodSpec
from lcbench.errors import DataUnavailableError, InvalidTaskError, LcbenchError, ParameterError, PluginError
from lcbench.experiment.tuning import RULES
from lcbench.records.record import FAILED, RunRecord, timestamp
from lcbench.registry.metrics import default_metrics, first_external, labelled_tasks
from lcbench.running.executor import streams_of
from lcbench.running.planned_run import ConfiguredStream

if TYPE_CHECKING:
    from lcbench.contract.task import Task
    from lcbench.experiment.resuming import Backlog

logger = logging.getLogger(__name__)
UNUSABLE = PluginError, InvalidTaskError  # raised by a stream whose code or data are wrong


def load_data(backlog: Backlog) -> dict[str, RunRecord]:
    """Loads all data that the runs of a backlog need, and takes those out of it whose stream cannot be used.

    So are those whose method takes no features below 0, where the stream has some. Returns records of their failure,
    which are not stored: they have never begun, and the same command tries them again. Data that are not available stop
    an experiment now, and are named all at once; so does a stream that cannot be used if there is no other.
    """
    streams = streams_of(backlog.left)
    missing: list[DataUnavailableError] = []
    unusable: dict[int, LcbenchError] = {}
    for stream in streams:
        try:
            stream.tasks()
        except DataUnavailableError as error:
            missing.append(error)
        except UNUSABLE as error:
            unusable[id(stream)] = error
    if missing:
        raise missing[0] if len(missing) == 1 else _together(missing)
    if unusable and len(streams) == 1:
        raise unusable[id(streams[0])]
    refused = _refused(backlog, unusable)
    return _failed(backlog, unusable, refused)


def _refused(backlog: Backlog, unusable: Mapping[int, LcbenchError]) -> dict[tuple[int, int], str]:
    """For methods that do not take the features of a stream, by the ids of both, the reason."""
    lowest: dict[int, tuple[float, str]] = {}
    found: dict[tuple[int, int], str] = {}
    pairs = {(id(planned.method), id(planned.stream)): planned for planned in backlog.left}
    for (method_id, stream_id), planned in pairs.items():
        method, stream = planned.method, planned.stream
        if stream_id in unusable or not isinstance(method.origin, MethodSpec):
            continue
        if method.origin.nonnegative_with(method.params):
            if stream_id not in lowest:
                lowest[stream_id] = min((_lowest(each.task), each.name) for each in stream.tasks())
            value, task = lowest[stream_id]
            if value < 0:
                name = method.label if callable(method.origin.nonnegative) else method.name  # once for all of a grid
                found[method_id, stream_id] = (
                    f"{name} takes no features below 0, and '{task}' of {stream.label} has {value:g}: add "
                    "transform=minmax to the stream, which scales them for all methods alike, or use another method."
                )
    return found


def _lowest(task: Task) -> float:
    X: Any = task.X
    return float((X.data if hasattr(X, "indptr") else X).min(initial=0.0))


def _together(missing: Sequence[DataUnavailableError]) -> DataUnavailableError:
    together = DataUnavailableError("\n".join(map(str, missing)))
    together.stream = missing[0].stream
    return together


def _failed(
    backlog: Backlog, unusable: Mapping[int, LcbenchError], refused: Mapping[tuple[int, int], str]
) -> dict[str, RunRecord]:
    """Takes the runs that cannot be made out of a backlog, and returns records of their failure, but for solo runs."""
    found: dict[str, RunRecord] = {}
    counts: Counter[str] = Counter()
    left = []
    for planned in backlog.left:
        error = unusable.get(id(planned.stream)) or refused.get((id(planned.method), id(planned.stream)))
        if error is None:
            left.append(planned)
            continue
        counts[str(error)] += 1
        if not planned.solo:
            record = found[planned.run_id] = planned.record
            record.status, record.error, record.finished = FAILED, str(error), timestamp()
    backlog.left[:] = left
    for why, count in counts.items():
        logger.warning("%s %s not made.", why, "Its run is" if count == 1 else f"Its {count:,} runs are")
    return found


def usual_metrics(streams: Sequence[ConfiguredStream], stored: Iterable[RunRecord]) -> list[str]:
    """The default metrics: streams to be run tell by their data which tasks have labels, stored runs by scores."""
    labelled = [task.y is not None for stream in streams for task in stream.tasks()]
    return default_metrics([*labelled, *(known for record in stored for known in labelled_tasks(record.scores))])


def check_labels_to_tune(streams: Sequence[ConfiguredStream], tune: str) -> None:
    """Refuses a rule of tuning that needs labels for a stream that has none."""
    if tune not in RULES or RULES[tune].metric is not None:
        return
    for stream in streams:
        if all(labelled.y is None for labelled in stream.tasks()):
            others = " or ".join(f"--tune {name}" for name, rule in RULES.items() if rule.metric is not None)
            raise ParameterError(f"--tune {tune} chooses by labels, and '{stream.label}' has none: take {others}.")


def warn_about_labels(streams: Sequence[ConfiguredStream], metrics: Sequence[str]) -> None:
    """Warns about tasks without labels, for which external metrics stay empty."""
    external = [name for name in metrics if first_external(name)]
    for stream in streams:
        without = [labelled.name for labelled in stream.tasks() if labelled.y is None]
        if external and without:
            every = len(without) == len(stream.tasks())
            logger.warning(
                "Stream '%s' has no labels%s: %s cannot be computed%s.",
                stream.label, "" if every else f" for {', '.join(without)}", ", ".join(external),
                "" if every else " there, nor averaged over all tasks",
            )  # fmt: skip

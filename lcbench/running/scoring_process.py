"""The main program of a scoring process: scores labels by the metrics of one plugin."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lcbench.errors import LcbenchError
from lcbench.running.settings import receive_job
from lcbench.running.wire import Wire

if TYPE_CHECKING:
    from lcbench.contract.metric import Metric
    from lcbench.contract.specs import Params
    from lcbench.contract.task import LabelledTask
    from lcbench.registry.catalogue import Source


@dataclass(frozen=True, slots=True, eq=False)
class ScoringJob:
    """The metrics that a scoring process is to compute: factory, parameters and plugin of each, by key."""

    metrics: dict[str, tuple[str, Params, Source]]


def main(wire: Wire) -> None:
    """Load the metrics, then score labels until lcbench closes the wire."""
    from lcbench.registry.building import build_metric

    job: ScoringJob = pickle.loads(receive_job(wire))
    metrics: dict[str, Metric] = {}
    unable: dict[str, str] = {}
    for key, described in job.metrics.items():
        try:
            metrics[key] = build_metric(*described)
        except LcbenchError as error:
            unable[key] = str(error)
    wire.send({"say": "ready", "unable": unable})
    _serve(wire, metrics)


def _serve(wire: Wire, metrics: dict[str, Metric]) -> None:
    import numpy as np

    from lcbench.records.scoring import score_row
    from lcbench.running.parcels import unpacked

    tasks: dict[str, LabelledTask] = {}
    while True:
        message, _, (parcel,) = wire.receive()
        if "task" in message:
            tasks[message["task"]] = unpacked(message, parcel)
            continue
        labels = np.frombuffer(parcel.read(), "<i8")
        rows: dict[str, list[Any]] = {key: [] for key in message["metrics"]}
        for key in message["tasks"]:
            task = tasks[key]
            own, labels = labels[: task.task.n_samples], labels[task.task.n_samples :]
            cell = score_row({name: metrics[name] for name in rows}, [task], {task.name: own.astype(np.int64)})
            for name, (value,) in cell.items():
                rows[name].append(value)
        wire.send({"say": "scores", "scores": rows})

"""A listener that logs every finished run over several tasks as a run of MLflow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from lcbench import hookimpl

if TYPE_CHECKING:
    from lcbench import RunRecord

EXPERIMENT = "lcbench"
MOST_METRICS = 1000  # of one request to MLflow
LONGEST_VALUE = 500  # characters of a parameter or tag that every server takes
_NOT_IN_A_NAME = re.compile(r"[^\w./ -]")


class MLflowListener:
    """Logs runs to an experiment of MLflow, by default to the server or folder that MLflow's own settings name.

    A run there has the parameters of method and stream, the average over the tasks learned so far by each metric at
    each step, seconds and bytes of each step; and as tags what it was, with its id in lcbench. A run that failed is
    there as failed, with its error. Runs that learn one task alone are left out. No run of MLflow that the caller has
    open is touched.

    Examples
    --------
    >>> from lcbench_mlflow import MLflowListener
    >>> listener = MLflowListener("digits", tracking_uri="https://mlflow.example.org")  # doctest: +SKIP
    >>> lcbench.run("l2sc", "digits", listeners=[listener])  # doctest: +SKIP
    """

    def __init__(self, experiment: str = EXPERIMENT, *, tracking_uri: str | None = None) -> None:
        try:
            from mlflow import MlflowClient
        except ImportError:
            raise ImportError("Logging to MLflow needs it: pip install 'lcbench[mlflow]'.") from None
        self.experiment = experiment
        self._client: Any = MlflowClient(tracking_uri=tracking_uri)
        self._experiment_id: str | None = None

    @hookimpl
    def lcbench_run_finished(self, run: RunRecord) -> None:
        """Log a run."""
        if len(run.order) < 2:
            return
        from mlflow.entities import Metric, Param, RunTag

        end = _milliseconds(run.finished)
        start = end - round(1000 * sum((*run.learn_seconds, *run.predict_seconds)))
        name = f"{run.label} on {run.stream_label}, repeat {run.repeat}"
        made = self._client.create_run(self._experiment(), start_time=start, run_name=name)
        key = made.info.run_id
        metrics = [Metric(name, value, end, step) for name, value, step in _metrics(run)]
        params = [Param(_name(name), _value(value)) for name, value in _params(run)]
        tags = [RunTag(f"lcbench.{name}", _value(value)) for name, value in _tags(run)]
        self._client.log_batch(key, params=params, tags=tags)
        for first in range(0, len(metrics), MOST_METRICS):
            self._client.log_batch(key, metrics=metrics[first : first + MOST_METRICS])
        self._client.set_terminated(key, "FINISHED" if run.status == "ok" else "FAILED", end_time=end)

    def _experiment(self) -> str:
        """The id of the experiment, which is made if there is none."""
        if self._experiment_id is None:
            found = self._client.get_experiment_by_name(self.experiment)
            made = self._client.create_experiment(self.experiment) if found is None else found.experiment_id
            self._experiment_id = str(made)
        return self._experiment_id


def _metrics(run: RunRecord) -> Iterator[tuple[str, float, int]]:
    """Name, value and step; the step is the number of tasks learned."""
    for metric, R in run.scores.items():
        for learned, row in enumerate(R, start=1):
            scores = [score for score in row[:learned] if score is not None]
            if scores:
                yield _name(metric), sum(scores) / len(scores), learned
    for name in ("learn_seconds", "predict_seconds", "state_bytes"):
        for learned, value in enumerate(getattr(run, name), start=1):
            if value is not None:
                yield name, float(value), learned


def _params(run: RunRecord) -> Iterator[tuple[str, object]]:
    yield from run.params.items()
    yield from ((f"stream.{name}", value) for name, value in run.stream_params.items())
    yield from (("seed", run.seed), ("repeat", run.repeat))


def _tags(run: RunRecord) -> Iterator[tuple[str, object]]:
    facts = ("run_id", "method", "revision", "setting", "stream", "stream_digest", "status", "error")
    yield from ((name, getattr(run, name)) for name in facts if getattr(run, name) is not None)
    yield "order", ", ".join(run.order)
    yield from (("experiment", name) for name in run.experiments[:1])


def _name(name: str) -> str:
    """A name that MLflow takes."""
    return _NOT_IN_A_NAME.sub("_", name)


def _value(value: object) -> str:
    text = str(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."


def _milliseconds(finished: str | None) -> int:
    when = datetime.fromisoformat(finished) if finished else datetime.now().astimezone()
    return round(1000 * when.timestamp())

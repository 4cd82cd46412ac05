"""RunRecord: all that is kept of a run, and its id; Step: the results of one task.

Imports nothing heavy, so that listeners can use it without numpy.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lcbench.contract.hashing import content_id
from lcbench.contract.specs import Setting
from lcbench.errors import ParameterError, RecordError
from lcbench.printable import printable_line
from lcbench.records.formulas import summarise

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray


SCHEMA = 3
CHECKED_SCHEMA = 3  # from this one on a file has a checksum
OK, FAILED, TIMEOUT, OUT_OF_MEMORY, CRASHED = "ok", "failed", "timeout", "out-of-memory", "crashed"
FIRST_CLOCK = 1  # of version 0.1: building a method and reading its labels were free, pickling counted nowhere
CLOCK = 2  # building counts for the first task, reading labels for each; pickling is counted by itself
SOLO = "solo"  # the kind of order of a run that learns one task alone
STATUSES = (OK, FAILED, TIMEOUT, OUT_OF_MEMORY, CRASHED)
_KEYS = {"baseline": "baseline_run_id", "digest": "labels_digest"}  # in the file, where they differ from the field


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The results of one step, in which a task was learned and the tasks seen so far were scored.

    `scores[metric][j]` is for the j-th task of the order, None if it was not scored. `agreement[j]` is the ARI of that
    task's labels with those when it was learned, None if either is missing. `largest[j]` is the share of its samples
    that are in its largest cluster.
    """

    learned: int
    task: str
    learn_seconds: float
    predict_seconds: float
    pickle_seconds: float
    metric_seconds: float
    state_bytes: int
    scores: Mapping[str, list[float | None]]
    labels: Mapping[str, IntArray]
    agreement: list[float | None]
    largest: list[float | None]
    objective_trace: list[float | None] | None


def parse_evaluate(evaluate: str) -> int:
    """The number of tasks between two scorings: 1 for `all`, N for `every:N`, 0 for `last` (only at the end)."""
    if evaluate in ("all", "last"):
        return 1 if evaluate == "all" else 0
    match = re.fullmatch(r"every:([1-9]\d*)", evaluate)
    if match is None:
        raise ParameterError(f"evaluate takes all, last or every:N with N of at least 1, not '{evaluate}'.")
    return int(match[1])


def is_scored(learned: int, total: int, every: int) -> bool:
    """True if the tasks seen so far are scored after `learned` of `total` tasks; always so after the last."""
    return learned == total or (every > 0 and learned % every == 0)


def is_of_folder(digest: str) -> bool:
    """True if a stream's digest is that of a user's folder: a hash of files, which may change from run to run."""
    return digest.startswith("folder-")


def data_id(digest: str) -> str:
    """The short id of a stream's content, out of its digest: what stands after the @ in `--stream mine@52e39f`."""
    content = digest.rpartition("-")[2]
    return content[:6] if len(content) >= 32 else digest


def timestamp() -> str:
    """The present time in UTC, as it is written in records."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def not_tuned() -> dict[str, Any]:
    """The field `tune` of a run whose parameters were not tuned."""
    return {"protocol": "none", "grid": None}


@dataclass(slots=True, eq=False, repr=False)
class RunRecord:
    """One method on one stream in one order with one seed.

    The first fields decide the labels and so the id. Then come names, notes, the version of the code, the command that
    makes the run, and the named experiments and kinds of orders that it belongs to; from `status` on, the results.
    `tune` says how the parameters were chosen; `choice`, in a tuned run, has the candidates and the choice. `isolated`
    is True if the method had a process of its own, False if it ran in the caller's, None if that is not known; `sealed`
    if that process was sealed off. `cpu_seconds` and `peak_bytes` are what the kernel counted for it, `processes_left`
    how many processes it left behind. `clock` says which definition of times holds. `agreement[i][j]` is the ARI of the
    labels of the j-th task after i + 1 tasks with those when it was learned. `largest[j]` is the share of the samples
    of the j-th task in its largest cluster, in the end. `first_schema` is that of the file in which it was first kept.
    """

    method: str
    revision: int
    params: dict[str, Any]
    setting: str
    stream: str
    stream_params: dict[str, Any]
    stream_digest: str
    order: tuple[str, ...]
    seed: int
    repeat: int
    evaluate: str = "all"
    future: bool = False
    threads: int = 1
    tune: dict[str, Any] = field(default_factory=not_tuned)

    label: str = ""
    stream_label: str = ""
    stream_tasks: tuple[str, ...] = ()
    note: str = ""
    baseline: str | None = None
    code: dict[str, Any] = field(default_factory=dict)
    command: str = ""
    experiments: tuple[str, ...] = ()
    order_kinds: tuple[str, ...] = ()

    status: str = OK
    error: str | None = None
    traceback: list[str] = field(default_factory=list)
    finished: str | None = None
    scores: dict[str, list[list[float | None]]] = field(default_factory=dict)
    learn_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    pickle_seconds: list[float] = field(default_factory=list)
    metric_seconds: list[float] = field(default_factory=list)
    state_bytes: list[int] = field(default_factory=list)
    peak_bytes: int | None = None
    cpu_seconds: float | None = None
    processes_left: int = 0
    clock: int = FIRST_CLOCK
    isolated: bool | None = None
    sealed: bool = False
    objective_trace: list[list[float | None] | None] = field(default_factory=list)
    audit: dict[str, Any] = field(default_factory=dict)
    choice: dict[str, Any] | None = None
    labels: list[dict[str, IntArray]] = field(default_factory=list)
    agreement: list[list[float | None]] = field(default_factory=list)
    largest: list[float | None] = field(default_factory=list)
    digest: str | None = None
    environment: dict[str, Any] = field(default_factory=dict)
    first_schema: int = SCHEMA

    def __repr__(self) -> str:
        reached = f"{len(self.learn_seconds)}/{len(self.order)} tasks"
        error = f", {self.error}" if self.error else ""
        told = f"{self.label} on {self.stream_label}, {self.status}, {reached}{error}"
        return f"<run {self.run_id[:10]}: {printable_line(told)}>"

    def _repr_html_(self) -> str:
        """Facts about the run and its matrices of scores, as a notebook shows them."""
        from lcbench.records.record_html import record_html

        return record_html(self)

    @property
    def identity(self) -> dict[str, Any]:
        """All that decides the labels, and so the run's id."""
        return {
            "stream": {"name": self.stream, "params": self.stream_params, "digest": self.stream_digest},
            "order": list(self.order),
            "method": {"name": self.method, "revision": self.revision, "params": self.params},
            "seed": self.seed,
            "repeat": self.repeat,
            "tune": self.tune,
            "evaluate": {"cells": self.evaluate, "future": self.future},
            "threads": self.threads,
        }

    @property
    def run_id(self) -> str:
        """The SHA-256 of the canonical JSON of `identity`."""
        return content_id(self.identity)

    @property
    def verified(self) -> bool:
        """True if a checksum has covered it ever since it was made; False if an older lcbench wrote it."""
        return self.first_schema >= CHECKED_SCHEMA

    @property
    def solo_ids(self) -> tuple[str, ...]:
        """The ids of the runs in which the same method learns each task of the order alone; none if it always does.

        They have the same seed and repeat, whatever the order, and the parameters that tuning chose.
        """
        if self.setting == Setting.SINGLE_TASK.value:
            return ()
        chosen = {} if self.choice is None else self.choice["params"] or {}
        whole = self.identity
        method = {**whole["method"], "params": {**self.params, **chosen}}
        alike = {**whole, "method": method, "tune": not_tuned(), "evaluate": {"cells": "all", "future": False}}
        return tuple(content_id({**alike, "order": [task]}) for task in self.order)

    def solo(self, task: str) -> RunRecord:
        """A record without results of the run in which the same method learns one of the tasks and nothing else."""
        alone = self.blank()
        alone.order, alone.evaluate, alone.future, alone.baseline = (task,), "all", False, None
        alone.order_kinds = (SOLO,)
        return alone

    def blank(self) -> RunRecord:
        """A record of the same run without results."""
        return RunRecord(**{name: getattr(self, name) for name in _PLANNED})

    def join(self, planned: RunRecord) -> bool:
        """Make this record belong to the experiments and kinds of a planned run as well; False if it does already.

        A run of version 0.1, whose kind is not known, goes with every kind. One that is asked for by the method's own
        name is called so from then on, and no longer as the point of a grid that it was.
        """
        before = self.experiments, self.order_kinds, self.label
        if planned.label == planned.method:
            self.label = planned.label
        self.experiments = tuple(dict.fromkeys((*self.experiments, *planned.experiments)))
        if self.order_kinds:
            self.order_kinds = tuple(dict.fromkeys((*self.order_kinds, *planned.order_kinds)))
        return (self.experiments, self.order_kinds, self.label) != before

    def called_as(self, planned: RunRecord) -> RunRecord:
        """This record, with label, note and baseline replaced by those that a new experiment gives to the run."""
        for name in ("label", "stream_label", "note"):
            setattr(self, name, getattr(planned, name))
        self.baseline = planned.baseline or self.baseline
        return self

    def add_step(self, step: Step) -> None:
        """Append the results of a step."""
        for metric, row in step.scores.items():
            self.scores.setdefault(metric, []).append(row)
        self.learn_seconds.append(step.learn_seconds)
        self.predict_seconds.append(step.predict_seconds)
        self.pickle_seconds.append(step.pickle_seconds)
        self.metric_seconds.append(step.metric_seconds)
        self.state_bytes.append(step.state_bytes)
        self.objective_trace.append(step.objective_trace)
        self.labels.append(dict(step.labels))
        self.agreement.append(step.agreement)
        self.largest = step.largest

    @property
    def summary(self) -> dict[str, dict[str, dict[str, Any]]]:
        """metric -> figure -> value and formula id; empty if the run failed.

        Figures that compare with a baseline are None: the baseline is another run.
        """
        from lcbench.registry.metrics import greater_is_better

        return {
            metric: summarise(R, agreement=self.agreement, greater_is_better=greater_is_better(metric))
            for metric, R in (self.scores.items() if self.status == OK else ())
        }

    @property
    def labels_digest(self) -> str | None:
        """A SHA-256 over all labels of all steps: runs with the same digest have the same labels, bit for bit."""
        if not self.labels:
            return self.digest
        digest, names = hashlib.sha256(), {task: json.dumps(task) for task in self.order}
        for step, labels in enumerate(self.labels):
            for task in self.order:
                if task in labels:
                    digest.update(f"[{step}, {names[task]}, {len(labels[task])}]".encode())  # as JSON has it
                    digest.update(labels[task].astype("<i8").tobytes())
        return digest.hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The record as one JSON object. The labels themselves are not in it."""
        values = {_KEYS.get(name, name): _plain(getattr(self, name)) for name in _STORED}
        names = {"label": self.label or self.method, "stream_label": self.stream_label or self.stream}
        results = {"labels_digest": self.labels_digest, "summary": self.summary}
        return {"schema": SCHEMA, "run_id": self.run_id, **values, **names, **results}

    @classmethod
    def from_json(cls, values: Any) -> RunRecord:
        """The record that `to_json` made, in this or an older schema, without labels; RecordError if it is invalid."""
        if not isinstance(values, dict) or not isinstance(values.get("schema"), int):
            raise RecordError("it is no record of a run")
        if values["schema"] > SCHEMA:
            raise RecordError(f"it has schema {values['schema']} and this lcbench knows up to {SCHEMA}", newer=True)
        # since schema 1 no field was renamed, and every field added since has a default
        values = {"first_schema": values["schema"], **values}
        given = {name: values[key] for name in _STORED if (key := _KEYS.get(name, name)) in values}
        try:
            given |= {name: tuple(given[name]) for name in _TUPLES if name in given}
            record = cls(**given)
            matches = record.run_id == values["run_id"]
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"it is no record of a run ({type(error).__name__}: {error})") from None
        if record.status not in STATUSES:
            raise RecordError(f"its status is {record.status!r}")
        if not matches:
            raise RecordError("what it says does not fit its id: it was changed")
        return record


_TUPLES = ("order", "stream_tasks", "experiments", "order_kinds")
_FIELDS = [field.name for field in fields(RunRecord)]
_PLANNED = _FIELDS[: _FIELDS.index("status")]  # known before a run starts
_STORED = [name for name in _FIELDS if name != "labels"]


def _plain(value: Any) -> Any:
    """The value with lists instead of tuples, as JSON has it."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return list(value) if isinstance(value, tuple) else value

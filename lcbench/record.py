"""The record of one run: what was run, what came out, and the id that names it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from lcbench.transfer import summarise

if TYPE_CHECKING:
    from lcbench.harness import Step
    from lcbench.task import IntArray

SCHEMA = 1
OK, FAILED = "ok", "failed"


def canonical_json(value: Any) -> str:
    """One text per value: keys sorted, no white space."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def content_id(value: Any) -> str:
    """The SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


@dataclass(slots=True, eq=False, repr=False)
class RunRecord:
    """One method on one stream in one order with one seed."""

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

    label: str = ""
    stream_label: str = ""
    note: str = ""
    baseline: str | None = None
    status: str = OK
    error: str | None = None
    scores: dict[str, list[list[float | None]]] = field(default_factory=dict)
    learn_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    state_bytes: list[int] = field(default_factory=list)
    objective_trace: list[list[float | None] | None] = field(default_factory=list)
    labels: list[dict[str, IntArray]] = field(default_factory=list)
    environment: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        reached = f"{len(self.learn_seconds)}/{len(self.order)} tasks"
        error = f", {self.error}" if self.error else ""
        return f"<run {self.run_id[:10]}: {self.label} on {self.stream_label}, {self.status}, {reached}{error}>"

    @property
    def identity(self) -> dict[str, Any]:
        """All that decides the labels, and so the run's id."""
        return {
            "stream": {"name": self.stream, "params": self.stream_params, "digest": self.stream_digest},
            "order": list(self.order),
            "method": {"name": self.method, "revision": self.revision, "params": self.params},
            "seed": self.seed,
            "repeat": self.repeat,
            "tune": {"protocol": "none", "grid": None},
            "evaluate": {"cells": self.evaluate, "future": self.future},
            "threads": self.threads,
        }

    @property
    def run_id(self) -> str:
        """The SHA-256 of the canonical JSON of `identity`."""
        return content_id(self.identity)

    def blank(self) -> RunRecord:
        """A record of the same run with nothing in it yet."""
        kept = {f.name: getattr(self, f.name) for f in fields(self) if f.default_factory is MISSING}
        return RunRecord(**{**kept, "status": OK, "error": None})

    def add_step(self, step: Step) -> None:
        """Append what happened when a task arrived."""
        for metric, row in step.scores.items():
            self.scores.setdefault(metric, []).append(row)
        self.learn_seconds.append(step.learn_seconds)
        self.predict_seconds.append(step.predict_seconds)
        self.state_bytes.append(step.state_bytes)
        self.objective_trace.append(step.objective_trace)
        self.labels.append(dict(step.labels))

    @property
    def summary(self) -> dict[str, dict[str, dict[str, Any]]]:
        """metric -> figure -> value and formula id; empty unless the run came to its end."""
        return {metric: summarise(R) for metric, R in self.scores.items()} if self.status == OK else {}

    @property
    def labels_digest(self) -> str | None:
        """A SHA-256 over all labels of all steps; two runs with one digest partition alike, bit for bit."""
        if not self.labels:
            return None
        digest = hashlib.sha256()
        for step, labels in enumerate(self.labels):
            for task in self.order:
                if task in labels:
                    digest.update(json.dumps([step, task, len(labels[task])]).encode())
                    digest.update(labels[task].astype("<i8").tobytes())
        return digest.hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The record as one JSON object. The labels themselves are not in it."""
        return {
            "schema": SCHEMA,
            "run_id": self.run_id,
            "method": self.method,
            "label": self.label or self.method,
            "revision": self.revision,
            "params": _plain(self.params),
            "setting": self.setting,
            "stream": self.stream,
            "stream_label": self.stream_label or self.stream,
            "stream_params": _plain(self.stream_params),
            "stream_digest": self.stream_digest,
            "order": list(self.order),
            "seed": self.seed,
            "repeat": self.repeat,
            "evaluate": self.evaluate,
            "future": self.future,
            "threads": self.threads,
            "status": self.status,
            "error": self.error,
            "note": self.note,
            "baseline_run_id": self.baseline,
            "scores": self.scores,
            "labels_digest": self.labels_digest,
            "learn_seconds": self.learn_seconds,
            "predict_seconds": self.predict_seconds,
            "state_bytes": self.state_bytes,
            "objective_trace": self.objective_trace,
            "summary": self.summary,
            "environment": self.environment,
        }


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in params.items()}

"""Runs as rows in long format: one per scored cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lcbench.record import RunRecord, canonical_json

COLUMNS: dict[str, type] = {
    "run_id": str, "method": str, "label": str, "params": str, "setting": str, "stream": str, "stream_label": str,
    "seed": int, "repeat": int, "order": str, "status": str, "metric": str, "tasks_learned": int, "position": int,
    "task": str, "score": float, "learn_seconds": float, "predict_seconds": float, "state_bytes": int,
    "tune": str, "chosen_params": str, "metric_seconds": float, "peak_bytes": int, "finished": str,
}  # fmt: skip


def run_rows(run: RunRecord) -> Iterator[dict[str, Any]]:
    """A row per scored cell, with every column; where nothing was scored, one without a metric."""
    chosen = run.choice.get("params") if run.choice is not None else None
    facts = {
        "run_id": run.run_id, "method": run.method, "label": run.label or run.method,
        "params": canonical_json(run.params), "setting": run.setting, "stream": run.stream,
        "stream_label": run.stream_label or run.stream, "seed": run.seed, "repeat": run.repeat,
        "order": ",".join(run.order), "status": run.status, "tune": run.tune["protocol"],
        "chosen_params": None if chosen is None else canonical_json(chosen), "peak_bytes": run.peak_bytes,
        "finished": run.finished,
    }  # fmt: skip
    cells = [
        {
            "metric": metric, "tasks_learned": i + 1, "position": j + 1, "task": run.order[j], "score": score,
            "learn_seconds": _at(run.learn_seconds, i), "predict_seconds": _at(run.predict_seconds, i),
            "metric_seconds": _at(run.metric_seconds, i), "state_bytes": _at(run.state_bytes, i),
        }
        for metric, R in run.scores.items()
        for i, row in enumerate(R)
        for j, score in enumerate(row)
        if score is not None
    ]  # fmt: skip
    for cell in cells or [{}]:
        values = facts | cell
        yield {column: values.get(column) for column in COLUMNS}


def _at(values: Sequence[float], step: int) -> float | None:
    """The value of a step; None where an older schema did not have it."""
    return values[step] if step < len(values) else None

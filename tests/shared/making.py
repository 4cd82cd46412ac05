"""Makes what most tests start from: tasks, streams, run records and folders with results.

Test files import it by name, `from making import make_record, make_stream`, also for constants and parametrized cases:

- `far_groups(3)`: samples of three clearly separate groups.
- `make_task("a")`: a task of such groups; any size, dense or sparse, with or without classes.
- `make_stream()`: three such tasks; `make_stream(tasks=("north", "south"), n=(30, 20), labelled=False)`.
- `make_record("l2sc", R)`: the record of a finished run; R is the matrix of scores, or its last row. Every field of
  `RunRecord` may be given by its name.
- `make_solos(record, {"a": 0.5})`: the records of its method alone on each of these tasks.
- `make_audited("l2sc", "lifelong", (9000, 9000))`: the record of an audited run that held so many bytes after a task.
- `make_results(record, ...)`: a store with these runs, on a folder that `lcbench` finds where the test runs.

Small methods to run are in `small_methods`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from lcbench.contract.stream import ArrayStream
from lcbench.contract.task import FloatArray, LabelledTask
from lcbench.records.record import OK, RunRecord
from lcbench.records.store import RunStore

Row = Sequence[float | None]


def far_groups(k: int = 3, n: int = 60, *, seed: int = 0, d: int = 12, spread: float = 0.05) -> FloatArray:
    """`k` far groups of `n` non-negative samples by turns: group c is large in its own block of the `d` features."""
    centres = np.kron(np.eye(k), np.ones(d // k))
    return centres[np.arange(n) % k] + spread * np.random.default_rng(seed).random((n, (d // k) * k))


def make_task(
    name: str = "a", *, seed: int = 0, n: int = 60, k: int = 3, d: int = 12, spread: float = 0.05,
    thin: bool = False, labelled: bool = True, names: Sequence[str] | None = None,
) -> LabelledTask:  # fmt: skip
    """A task of `far_groups`, with them as its classes.

    `thin` gives a sparse matrix, with the smaller part of the noise left out; without `labelled` there are no classes.
    """
    X, y = far_groups(k, n, seed=seed, d=d, spread=spread), np.arange(n) % k
    if thin:
        X = sparse.csr_array(np.where(0.6 * spread < X, X, 0))
    return LabelledTask.from_arrays(name, X, y if labelled else None, names, clusters=None if labelled else k)


def make_stream(
    name: str = "blobs", tasks: int | Sequence[str] = 3, *, n: int | Sequence[int] = 60, **more: Any
) -> ArrayStream:
    """A stream of so many tasks, or of these names, made by `make_task` with a seed each; n may be one per task."""
    names = [f"task-{t + 1}" for t in range(tasks)] if isinstance(tasks, int) else tasks
    sizes = [n] * len(names) if isinstance(n, int) else n
    made = [make_task(task, seed=t, n=sizes[t], **more) for t, task in enumerate(names)]
    return ArrayStream(name, made)


def make_record(
    label: str = "m",
    R: Sequence[Row] | Row | Mapping[str, float | None] | None = None,
    *,
    order: Sequence[str] = "ab",
    metric: str = "purity",
    **fields: Any,
) -> RunRecord:
    """The record of a run that ended well, over tasks a and b; a text as `order` names the tasks by its letters.

    R is the matrix of scores, or its last row, in the order of the tasks or by their names; then each score was 0.1
    lower for every task fewer. Without R a run over two tasks that ended well has the scores .5, then .6 and .8; any
    other run has none. Seconds and bytes are there for every row, or for every task of a run that ended well without
    scores. All fields can be given, and `scores` instead of R.
    """
    order = tuple(order)
    if R is None and fields.get("status", OK) == OK and len(order) == 2:
        R = [[0.5, None], [0.6, 0.8]]
    scores = fields.pop("scores", {} if R is None else {metric: _matrix(R, order)})
    done = len(order) if fields.get("status", OK) == OK else 0
    steps = range(max(map(len, scores.values()), default=done))
    stream = fields.get("stream", "s")
    facts: dict[str, Any] = {
        "method": label.split(":")[0].split(" ")[0], "revision": 1, "params": {}, "setting": "lifelong",
        "stream": stream, "stream_params": {}, "stream_digest": "", "order": order, "seed": 0, "repeat": 0,
        "label": label, "stream_label": stream, "stream_tasks": tuple(sorted(order)), "scores": scores,
        "finished": "2026-01-01T00:00:00.000+00:00", "learn_seconds": [i + 1.0 for i in steps],
        "predict_seconds": [i / 2 for i in steps], "metric_seconds": [0.1 for _ in steps],
        "state_bytes": [10 * (i + 1) for i in steps], "objective_trace": [None for _ in steps],
    }  # fmt: skip
    return RunRecord(**(facts | fields))


def make_solos(
    run: RunRecord, scores: Mapping[str, float | None], *, metric: str = "purity", **fields: Any
) -> list[RunRecord]:
    """The records of runs in which the method of a run learned one of its tasks alone, with these scores."""
    facts = {"learn_seconds": [1.0], "predict_seconds": [0.0], "metric_seconds": [0.1], "state_bytes": [10]} | fields
    return [replace(run.solo(task), scores={metric: [[score]]}, **facts) for task, score in scores.items()]


def make_audited(
    label: str = "m", setting: str = "lifelong", held: Sequence[int] = (9000, 9000), *,
    audit: Mapping[str, Any] | None = None, **fields: Any,
) -> RunRecord:  # fmt: skip
    """The record of a run audited on tasks of 50 kB, after each of which it held so many bytes."""
    steps = len(held)
    measure = {
        "task_bytes": [50_000] * steps, "clusters": [3] * steps, "state_bytes_before": 100, "held_bytes": list(held),
        "reachable": [0] * steps, "first_reachable": None, "complete": True, "seconds": 0.01,
    }  # fmt: skip
    state, order = [100 + size for size in held], [f"t{i}" for i in range(steps)]
    audits = {"measure": measure, **(audit or {})}
    return make_record(label, order=order, setting=setting, state_bytes=state, audit=audits, **fields)


def _matrix(R: Any, order: tuple[str, ...]) -> list[list[float | None]]:
    if isinstance(R, Mapping):
        R = [R.get(task) for task in order]
    if any(isinstance(row, Sequence | np.ndarray) for row in R):
        return [list(row) for row in R]
    steps = range(len(R))
    return [
        [None if R[j] is None or j > i else R[j] - 0.1 * (steps[-1] - i) if i < steps[-1] else R[j] for j in steps]
        for i in steps
    ]


def make_results(*records: RunRecord, folder: Path | str = "lcbench-results") -> RunStore:
    """A store that has just been opened on a folder with these runs; a test starts in an empty folder of its own."""
    store = RunStore(folder)
    store.prepare()
    for record in records:
        store.save(record)
    return RunStore(folder)


def every_pair(first: Sequence[Any], second: Sequence[Any], third: Sequence[Any]) -> list[tuple[Any, Any, Any]]:
    """Values of three parameters such that every pair of values of any two of them comes, and few triples do."""
    return [(a, b, third[(i + j) % len(third)]) for i, a in enumerate(first) for j, b in enumerate(second)]

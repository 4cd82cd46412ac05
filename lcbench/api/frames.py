"""Makes data frames of the scores of runs; needs pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lcbench.errors import MissingExtraError, ParameterError, did_you_mean
from lcbench.records.record import RunRecord
from lcbench.registry.metrics import shown_metrics

if TYPE_CHECKING:
    import pandas as pd

LEARNED = "learned"


def needed_pandas(what: str) -> Any:
    """The module pandas; an error that says what needs it where it is not installed."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError(f"{what} needs pandas: pip install 'lcbench[frames]'.") from None
    return pandas


def score_frame(runs: Sequence[RunRecord], metric: str, method: str | None, stream: str | None) -> pd.DataFrame:
    """The matrices of scores of runs, one below the other; levels of the index in which no runs differ are left out."""
    pandas = needed_pandas("matrix")
    chosen = _of(_of(runs, "method", method, ("label", "method")), "stream", stream, ("stream_label", "stream"))
    (key,) = shown_metrics((run.scores for run in chosen), [metric])
    scored = [run for run in chosen if run.scores.get(key)]
    columns = dict.fromkeys(task for run in scored for task in (run.stream_tasks or run.order))
    rows, index = [], []
    for run in scored:
        for learned, scores in zip(run.order, run.scores[key], strict=False):
            found = {task: score for task, score in zip(run.order, scores, strict=False) if score is not None}
            rows.append([found.get(task) for task in columns])
            index.append(_names(run, learned))
    levels = [name for name in _names(scored[0], "") if name == LEARNED or len({names[name] for names in index}) > 1]
    made: pd.DataFrame = pandas.DataFrame(rows, columns=pandas.Index(list(columns), name="task"), dtype=float)
    made.index = (
        pandas.MultiIndex.from_tuples([tuple(names[level] for level in levels) for names in index], names=levels)
        if len(levels) > 1
        else pandas.Index([names[LEARNED] for names in index], name=LEARNED)
    )
    return made


def _names(run: RunRecord, learned: str) -> dict[str, Any]:
    return {
        "stream": run.stream_label or run.stream, "method": run.label or run.method, "order": ", ".join(run.order),
        "seed": run.seed, "repeat": run.repeat, LEARNED: learned,
    }  # fmt: skip


def _of(runs: Sequence[RunRecord], what: str, asked: str | None, fields: tuple[str, ...]) -> Sequence[RunRecord]:
    """The runs of a method or stream, by its label, or by its name where no run has that label."""
    for field in fields:
        found = [run for run in runs if asked in (None, getattr(run, field))]
        if found:
            return found
    known = {getattr(run, fields[0]) for run in runs}
    if asked is None:
        raise ParameterError("There are no runs to make a matrix of.")
    raise ParameterError(f"There are no runs of {what} '{asked}'.{did_you_mean(asked, known)}")

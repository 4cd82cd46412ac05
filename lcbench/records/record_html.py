"""Shows a run in a notebook: facts about it, and the matrix of scores by each usual metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lcbench import notebook_html
from lcbench.printable import byte_size
from lcbench.registry.metrics import is_percent, shown_metrics, with_unit
from lcbench.registry.names import format_entry, format_value

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord

SHORT = 10


def record_html(run: RunRecord) -> str:
    """The run as HTML; the matrix by the first metric is open, the others can be opened."""
    told = [
        ("method", f"{run.method}, {run.setting}"),
        ("stream", format_entry(run.stream, run.stream_params)),
        ("order", ", ".join(run.order)),
        ("seed, repeat", f"{run.seed}, {run.repeat}"),
        ("status", run.status),
        ("error", run.error),
        ("learning", f"{sum(run.learn_seconds):.3f} s" if run.learn_seconds else ""),
        ("state", byte_size(run.state_bytes[-1]) if run.state_bytes else ""),
        ("note", run.note),
        ("command", run.command),
    ]
    title = f"run {run.run_id[:SHORT]}: {run.label or run.method} on {run.stream_label or run.stream}"
    params = notebook_html.facts((name, format_value(value)) for name, value in run.params.items())
    parts = [notebook_html.heading(title), notebook_html.facts(told)]
    parts += [notebook_html.folded("parameters", params)] if run.params else []
    for i, metric in enumerate(shown_metrics([run.scores])):
        name = with_unit(metric)
        matrix = _matrix(run, metric)
        parts.append(notebook_html.heading(name) + matrix if i == 0 else notebook_html.folded(name, matrix))
    return notebook_html.block(*parts)


def _matrix(run: RunRecord, metric: str) -> str:
    """The scores of each task, by the task that was learned last."""
    factor, digits = (100, 1) if is_percent(metric) else (1, 3)
    rows = [
        (task, *("" if score is None else f"{factor * score:.{digits}f}" for score in row))
        for task, row in zip(run.order, run.scores[metric], strict=False)
    ]
    return notebook_html.table(("after learning", *run.order), rows)

"""Pieces of the notes below tables: what holds for all methods is said once."""

from __future__ import annotations

from collections.abc import Iterable

from lcbench.analysis.compare import ComparedStream
from lcbench.analysis.run_scores import TaskOrAverage
from lcbench.report import numbers

MOST_TASKS = 20


def labels_by(said: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The labels of methods by what is said of them, from pairs of label and text."""
    labels: dict[str, list[str]] = {}
    for label, text in said:
        labels.setdefault(text, []).append(label)
    return labels


def said_once(said: Iterable[tuple[str, str]]) -> list[str]:
    """A note for all methods, or one for each group of methods if not the same is said of all."""
    labels = labels_by(said)
    return list(labels) if len(labels) < 2 else [f"{', '.join(group)}: {text}" for text, group in labels.items()]


def shown_tasks(stream: ComparedStream) -> tuple[TaskOrAverage, ...]:
    """The tasks and the average (None); the average alone if there are very many tasks."""
    return (*(stream.tasks if len(stream.tasks) <= MOST_TASKS else ()), None)


def tasks_note(stream: ComparedStream) -> list[str]:
    """A note if there are too many tasks to show."""
    if len(stream.tasks) <= MOST_TASKS:
        return []
    return [f"The {len(stream.tasks)} tasks are not shown one by one: --format csv has them."]


def p_text(value: float | None) -> str:
    """A p value with three decimals; a dash for None."""
    return numbers.MISSING if value is None else "<0.001" if value < 0.001 else f"{value:.3f}"

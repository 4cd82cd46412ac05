"""Which methods' curves are drawn when the page is opened: few enough to be told apart."""

from __future__ import annotations

from statistics import fmean

from lcbench.report.selection import MethodRuns, StreamRuns
from lcbench.report.taskscores import END, task_scores
from lcbench.scoring import greater_is_better
from lcbench.specs import Setting

MOST = 5
_FROM_OTHER_TASKS = (Setting.LIFELONG.value, Setting.MULTI_TASK.value)


def first_shown(stream: StreamRuns, metric: str) -> list[str]:
    """The labels of at most five methods that ended well, those with the best average by `metric` of each setting.

    Lifelong methods come first, then multi-task ones, then the best single-task method, which has a place in any case:
    it is what the others are to be better than. Where all are single-task the best of them are shown.
    """
    done = sorted((method for method in stream.methods if method.done), key=lambda m: _place(m, stream.tasks, metric))
    learners = [method.label for method in done if method.runs[0].setting in _FROM_OTHER_TASKS]
    alone = [method.label for method in done if method.runs[0].setting not in _FROM_OTHER_TASKS]
    if not learners:
        return alone[:MOST]
    return [*learners[: MOST - len(alone[:1])], *alone[:1]]


def _place(method: MethodRuns, tasks: tuple[str, ...], metric: str) -> tuple[int, bool, float]:
    """By setting, then by average; a method that has none comes last."""
    setting = method.runs[0].setting
    rank = _FROM_OTHER_TASKS.index(setting) if setting in _FROM_OTHER_TASKS else len(_FROM_OTHER_TASKS)
    scores = [task_scores(run, metric, END, tasks).get(None) for run in method.done]
    known = [score for score in scores if score is not None]
    average = fmean(known) if known else 0.0
    return rank, not known, -average if greater_is_better(metric) else average

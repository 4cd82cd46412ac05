from __future__ import annotations

import pytest

from lcbench.analysis.task_scores import ARRIVAL, END, check_moment, task_scores
from lcbench.errors import ParameterError

R = [[0.1, None, None], [0.2, 0.3, None], [0.4, 0.5, 0.9]]


@pytest.fixture
def run(scored_run):
    return scored_run("m", (0, 0), order=("c", "a", "b"), stream_tasks=("a", "b", "c"), scores={"nmi": R})


def test_scores_at_the_end_are_the_last_row_by_task(run):
    assert task_scores(run, "nmi", END, "abc") == {"a": 0.5, "b": 0.9, "c": 0.4, None: pytest.approx(0.6)}


def test_scores_at_arrival_are_the_diagonal_by_task(run):
    assert task_scores(run, "nmi", ARRIVAL, "abc") == {"a": 0.3, "b": 0.9, "c": 0.1, None: pytest.approx(1.3 / 3)}


def test_an_average_needs_a_score_of_every_task(run, scored_run):
    assert task_scores(run, "nmi", END, "abcd") == {"a": 0.5, "b": 0.9, "c": 0.4, None: None}
    lacking = scored_run("m", (0.3, None))
    assert task_scores(lacking, "nmi", END, "ab") == {"a": 0.3, "b": None, None: None}


def test_tasks_that_are_not_asked_for_are_in_no_average(run):
    assert task_scores(run, "nmi", END, "ab") == {"a": 0.5, "b": 0.9, None: pytest.approx(0.7)}


def test_a_run_without_the_metric_or_that_stopped_early_has_no_scores(run):
    assert task_scores(run, "ri", END, "abc") == {}
    run.scores["nmi"] = R[:2]
    assert task_scores(run, "nmi", END, "abc") == {}


def test_a_moment_other_than_end_and_arrival_is_refused():
    check_moment("end")
    check_moment("arrival")
    with pytest.raises(ParameterError, match="at takes end or arrival, not 'start'"):
        check_moment("start")

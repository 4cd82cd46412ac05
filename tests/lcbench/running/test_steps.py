from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from lcbench.running.steps import Learned, StepScores

ORDER = ("a", "b", "c")
LABELS = [
    {"a": np.array([0, 0, 1, 1])},
    {"b": np.array([1, 0, 1]), "a": np.array([0, 1, 1, 1])},
    {"c": np.array([2, 0]), "a": np.array([1, 1, 0, 0]), "b": np.array([0, 0, 1])},
]


def learned(i: int, labels=None) -> Learned:
    return Learned(
        learned=i + 1, task=ORDER[i], learn_seconds=1.0 + i, predict_seconds=0.5, pickle_seconds=0.25,
        state_bytes=70 + i, labels=LABELS[i] if labels is None else labels, objective_trace=[2.0, None],
    )  # fmt: skip


def score(steps):
    """A row per step: the number of clusters of each task."""
    return [{"clusters": [len(set(labels[task])) if task in labels else None for task in ORDER]} for labels in steps]


@pytest.mark.parametrize(
    ("evaluate", "scored"),
    [("all", [True, True, True]), ("last", [False, False, True]), ("every:2", [False, True, True])],
)
def test_labels_are_scored_in_the_steps_of_the_schedule_and_a_row_is_there_for_each(evaluate, scored):
    steps = StepScores(ORDER, score, evaluate)
    rows = [steps.step(learned(i)).scores["clusters"] for i in range(3)]
    full = [[2, None, None], [2, 2, None], [2, 2, 2]]
    assert rows == [row if due else [None] * 3 for row, due in zip(full, scored, strict=True)]


def test_agreement_compares_with_the_labels_of_the_step_that_learned_the_task():
    steps = StepScores(ORDER, score, "all")
    found = [steps.step(learned(i)).agreement for i in range(3)]
    assert found[0][0] == 1.0
    assert found[1][0] == pytest.approx(adjusted_rand_score(LABELS[1]["a"], LABELS[0]["a"]))
    assert found[2][0] == pytest.approx(1.0), "the same groups under other numbers"
    assert found[2][1] == pytest.approx(adjusted_rand_score(LABELS[2]["b"], LABELS[1]["b"]))
    assert found[2][2] == 1.0


def test_a_step_has_the_share_of_the_largest_cluster_of_each_task_that_has_labels():
    steps = StepScores(ORDER, score, "last")
    assert [steps.step(learned(i)).largest for i in range(3)] == [
        [0.5, None, None],
        [0.75, pytest.approx(2 / 3), None],
        [0.5, pytest.approx(2 / 3), 0.5],
    ]


def test_several_steps_at_once_are_those_made_one_by_one():
    each, at_once = StepScores(ORDER, score, "every:2"), StepScores(ORDER, score, "every:2")
    together = list(at_once.steps([learned(i) for i in range(3)]))
    for i, step in enumerate(map(each.step, map(learned, range(3)))):
        assert (step.learned, step.task, step.scores) == (i + 1, ORDER[i], together[i].scores)
        assert (step.agreement, step.largest) == (together[i].agreement, together[i].largest)
    cells = [len(labels) for labels in LABELS]
    shares = [step.metric_seconds / sum(each.metric_seconds for each in together) for step in together]
    assert shares == pytest.approx([count / sum(cells) for count in cells])


def test_what_a_step_took_is_passed_on_and_scoring_has_a_time_of_its_own():
    step = StepScores(ORDER, score, "all").step(learned(0))
    assert (step.learned, step.task, step.state_bytes, step.objective_trace) == (1, "a", 70, [2.0, None])
    assert (step.learn_seconds, step.predict_seconds, step.pickle_seconds) == (1.0, 0.5, 0.25)
    assert step.metric_seconds >= 0
    assert step.labels is LABELS[0]

from __future__ import annotations

import pytest

from lcbench.report.comparison.notes import labels_by, p_text, said_once, shown_tasks, tasks_note


def test_what_is_said_of_all_methods_is_said_once_and_else_by_group():
    assert said_once([("x", "two."), ("y", "two.")]) == ["two."]
    assert said_once([("x", "two."), ("y", "three."), ("z", "two.")]) == ["x, z: two.", "y: three."]
    assert said_once([]) == []
    assert labels_by([("x", "b"), ("y", "a"), ("z", "b")]) == {"b": ["x", "z"], "a": ["y"]}


@pytest.mark.parametrize(("tasks", "shown"), [(20, 21), (21, 1)])
def test_up_to_twenty_tasks_are_shown_one_by_one_and_more_are_counted_in_a_note(compared, scored_run, tasks, shown):
    names = tuple(f"t{i}" for i in range(tasks))
    (stream,) = compared([scored_run("m", (0, 0), order=names, stream_tasks=names, scores={})]).streams
    assert len(shown_tasks(stream)) == shown
    assert bool(tasks_note(stream)) == (shown == 1)
    assert all("21 tasks are not shown" in note for note in tasks_note(stream))


@pytest.mark.parametrize(("p", "text"), [(0.0312, "0.031"), (0.0004, "<0.001"), (None, "–")])
def test_a_p_has_three_decimals(p, text):
    assert p_text(p) == text

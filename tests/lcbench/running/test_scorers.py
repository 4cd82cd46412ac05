from __future__ import annotations

import logging
import math
import threading
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, silhouette_score

import lcbench
from lcbench.contract.specs import MetricKind, MetricSpec, Param
from lcbench.errors import PluginError
from lcbench.records.record import OK
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.running import scorers as module
from lcbench.running.scorers import Scorers

ORDER = ("task-1", "task-2", "task-3")


@pytest.fixture
def register(monkeypatch):
    """Registers metrics of `odd_metrics` as those of a plugin called odd."""
    monkeypatch.setattr(logging.getLogger("lcbench"), "propagate", True)

    def add(*names, distribution="odd-dist", **params):
        metrics = plugin_host().registry.metrics
        for name in names:
            factory = f"odd_metrics:{name}" if ":" not in name else name
            spec = MetricSpec(name.lower().partition(":")[0], factory, MetricKind.EXTERNAL, params=tuple(
                Param(key, str, value, "what to do") for key, value in params.items()
            ))  # fmt: skip
            monkeypatch.setitem(metrics._specs, spec.name, spec)
            monkeypatch.setitem(metrics._sources, spec.name, Source("odd", distribution))

    return add


@pytest.fixture
def labels(module_stream):
    draw = np.random.default_rng(0)
    return {labelled.name: draw.integers(3, size=60) for labelled in module_stream.tasks()}


@pytest.fixture
def row(server, module_stream, labels):
    """The scores of random labels, by all metrics there are."""
    made = []

    def score(found=labels, names=()):
        if not made:
            made.append(Scorers(names, server))
        return made[0].rows(module_stream.tasks(), ORDER, [found])[0]

    yield score
    for each in made:
        each.close()


def test_scores_are_those_of_scikit_learn(row, module_stream, labels):
    found = row(names=("silhouette",))
    for score, fit, labelled in zip(found["ari"], found["silhouette"], module_stream.tasks(), strict=True):
        assert score == pytest.approx(adjusted_rand_score(labelled.y, labels[labelled.name]))
        assert fit == pytest.approx(silhouette_score(labelled.task.X, labels[labelled.name]))


def test_a_task_without_labels_has_no_score_and_the_order_decides_on_the_places(row, labels):
    whole = row()
    part = row({"task-3": labels["task-3"], "task-1": labels["task-1"]})
    for key, scores in whole.items():
        assert part[key] == [scores[0], None, scores[2]]
    assert row({}) == {key: [None] * 3 for key in whole}


def test_steps_are_scored_together_and_labels_that_they_share_once(row, server, module_stream, labels, monkeypatch):
    asked, ask = [], module._Scorer._ask
    monkeypatch.setattr(module._Scorer, "_ask", lambda *told: asked.append(told[3]) or ask(*told))
    first = {"task-2": labels["task-2"]}
    second = {"task-2": labels["task-2"], "task-1": labels["task-1"]}
    third = {"task-3": labels["task-3"], "task-2": 2 - labels["task-2"]}
    scorers = Scorers((), server)
    together = scorers.rows(module_stream.tasks(), ORDER, [first, {}, second, third])
    scorers.close()
    assert asked == [[1, 0, 2, 1]], "the second task has two partitions"
    assert together == [row(first), row({}), row(second), row(third)]


def test_a_score_outside_of_the_declared_range_is_left_out_and_its_metric_named_once(
    row, register, monkeypatch, caplog
):
    register("Good")
    metrics = plugin_host().registry.metrics
    usual = row()
    assert usual["good"] == [0.25] * 3
    monkeypatch.setitem(metrics._specs, "good", replace(metrics["good"], range=(0.5, math.inf)))
    for _ in range(2):
        assert row() == {**usual, "good": [None] * 3}
    assert caplog.messages == [
        "Metric 'good' of plugin 'odd' of distribution 'odd-dist' scored 0.25 on task 'task-1', and its spec declares "
        "a range from 0.5 to inf: scores outside of it are left out."
    ]


ENDS = [
    ("Exits", "it ended its process with exit code 7"),
    ("Segfaults", "it was ended by SIGSEGV"),
    ("KillsItself", "it was ended by SIGKILL"),
]


@pytest.mark.parametrize(("name", "said"), ENDS, ids=[name for name, _ in ENDS])
def test_a_metric_that_dies_is_named_and_left_out_and_others_keep_their_values(row, register, caplog, name, said):
    register("Good", name)
    first, second = row(), row()
    assert first == second
    assert first["good"] == [0.25] * 3
    assert first[name.lower()] == [None] * 3
    assert all(value is not None for value in first["purity"])
    blamed = f"Metric '{name.lower()}' of plugin 'odd' of distribution 'odd-dist'"
    assert caplog.messages == [f"{blamed} is left out: {said}."]


def test_a_metric_that_hangs_is_named_and_left_out(row, register, caplog, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_TO_SCORE", 3.0)
    register("Good", "Hangs")
    found = row()
    assert (found["hangs"], found["good"]) == ([None] * 3, [0.25] * 3)
    assert [message.partition(" is left out: ")[2] for message in caplog.messages] == ["it took longer than 3 s."]


def test_scores_that_take_long_are_waited_for_with_a_word(row, register, caplog, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_OF_SILENCE", 0.0)
    register("Good")
    assert row()["good"] == [0.25] * 3
    assert any(
        message == "plugin 'odd' of distribution 'odd-dist' has been scoring for 0 s (good); after 300 s the metric at "
        "fault is left out."
        for message in caplog.messages
    )


@pytest.mark.parametrize("what", ["text", "number", "list", "huge", "nan"])
def test_a_metric_whose_process_sends_no_scores_is_left_out(row, register, caplog, monkeypatch, what):
    register("Good", distribution="another")
    register("Says", what=what)
    found = row()
    assert (found["says"], found["good"]) == ([None] * 3, [0.25] * 3)
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("Metric 'says' of plugin 'odd' of distribution 'odd-dist' is left out: ")


def test_a_metric_that_raises_has_no_score_and_its_process_goes_on(row, register):
    register("Good", "Raises")
    found = row()
    assert (found["raises"], found["good"]) == ([None] * 3, [0.25] * 3)


def test_a_metric_that_cannot_be_built_is_an_error_that_names_its_plugin(row, register):
    register("gone:odd_metrics.missing")
    with pytest.raises(PluginError, match="odd-dist"):
        row(names=["gone"])


def test_a_metric_that_cannot_be_built_and_nobody_asked_for_is_named_and_left_out(row, register, caplog):
    register("Good", "gone:odd_metrics.missing")
    found = row()
    assert found["good"] == [0.25] * 3
    assert len(caplog.messages) == 1, "once, however often labels are scored"
    assert (
        "is left out: plugin 'odd' of distribution 'odd-dist' could not build 'gone:odd_metrics" in caplog.messages[0]
    )


def test_a_metric_that_dies_costs_no_run(register, module_stream, caplog):
    register("Good", "Exits")
    runs = lcbench.run(["one-cluster", "random"], module_stream)
    assert [run.status for run in runs] == [OK, OK]
    for run in runs:
        assert run.scores["good"][-1] == [0.25] * 3
        assert run.scores["exits"][-1] == [None] * 3


def test_a_metric_whose_process_is_killed_is_scored_by_a_later_command(register, module_stream, tmp_path, monkeypatch):
    register("KillsItself")
    (run,) = lcbench.run("random", module_stream, out=tmp_path)
    assert run.status == "ok"
    assert "killsitself" not in run.scores, "it may not have been the metric that killed it"
    assert all(value is not None for value in run.scores["purity"][-1])
    works = MetricSpec("killsitself", "odd_metrics:Good", MetricKind.EXTERNAL)
    monkeypatch.setitem(plugin_host().registry.metrics._specs, "killsitself", works)
    (later,) = lcbench.run("random", module_stream, out=tmp_path, metrics="killsitself")
    assert later.scores["killsitself"][-1] == [0.25] * 3


def test_who_stops_scoring_waits_for_no_metric(register, module_stream, labels, server):
    register("Hangs")
    scorers = Scorers((), server)
    threading.Timer(0.3, scorers.stop).start()
    (found,) = scorers.rows(module_stream.tasks(), ORDER, [labels])
    assert found["hangs"] == [None] * 3
    scorers.close()

from __future__ import annotations

import copy
import logging
import pickle
import re

import numpy as np
import pluggy
import pytest
from making import make_record

from lcbench.contract import hookspecs
from lcbench.contract.hookspecs import hookimpl
from lcbench.records.record import Step
from lcbench.registry.events import Events


class Listener:
    """Notes what it hears, and raises if told to."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.heard: list[object] = []
        self.error = error

    @hookimpl
    def lcbench_run_started(self, run):
        self.heard.append(run)
        if self.error is not None:
            raise self.error


class Misspelt:
    @hookimpl
    def lcbench_run_startet(self, run):
        pass


@pytest.fixture
def manager() -> pluggy.PluginManager:
    manager = pluggy.PluginManager("lcbench")
    manager.add_hookspecs(hookspecs)
    return manager


def test_a_listener_hears_the_events_of_its_own_experiment_only(manager):
    listener, other = Listener(), Listener()
    mine, theirs = Events(manager, [listener]), Events(manager, [other])
    mine.fire("lcbench_run_started", run=make_record("mine"))
    theirs.fire("lcbench_run_started", run=make_record("theirs"))
    assert [[run.label for run in each.heard] for each in (listener, other)] == [["mine"], ["theirs"]]


def test_an_event_is_heard_if_a_listener_keeper_or_plugin_implements_it(manager):
    assert not Events(manager).is_heard("lcbench_run_started")
    for events in (Events(manager, [Listener()]), Events(manager, [], [Listener()])):
        assert events.is_heard("lcbench_run_started")
        assert not events.is_heard("lcbench_run_finished")
    manager.register(Listener())
    assert Events(manager).is_heard("lcbench_run_started")


def test_a_keeper_hears_first_and_gets_the_record_itself(manager):
    keeper, listener, record = Listener(), Listener(), make_record("mine")
    heard = keeper.heard = listener.heard
    Events(manager, [listener], [keeper]).fire("lcbench_run_started", run=record)
    assert [run is record for run in heard] == [True, False]


def test_nothing_is_copied_where_nobody_listens(manager):
    class Untouchable:
        """No dataclass: a snapshot of it cannot be made."""

    manager.register(Listener())
    Events(manager, [Listener()]).fire("lcbench_run_finished", run=Untouchable())


class Textless(BaseException):
    """An error whose text raises too."""

    def __str__(self):
        raise ValueError("no text")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("boom"), "ValueError: boom"),
        (SystemExit(3), "SystemExit: 3"),
        (Textless(), "Textless: it has no text"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_plugin_that_raises_costs_a_warning_that_names_it_and_the_others_hear_the_event(
    manager, caplog, monkeypatch, error, said
):
    monkeypatch.setattr(logging.getLogger("lcbench"), "propagate", True)
    others = [Listener(), Listener()]
    manager.register(others[0])
    manager.register(Listener(error), name="dist:bad")
    manager.register(others[1])
    events = Events(manager)
    for label in ("mine", "another"):
        events.fire("lcbench_run_started", run=make_record(label))
    assert [[run.label for run in other.heard] for other in others] == [["mine", "another"]] * 2
    (warning,) = caplog.messages  # once, however often it fails
    said = rf"failed in lcbench_run_started: {re.escape(said)} \(test_events\.py:\d+\)\."
    assert re.fullmatch(f"plugin 'bad' of distribution 'dist' {said}", warning)


def test_the_interrupt_of_a_user_passes_through_a_plugin(manager):
    manager.register(Listener(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        Events(manager).fire("lcbench_run_started", run=make_record())


class Vandal:
    """A plugin that changes all that it is told of."""

    @hookimpl
    def lcbench_task_learned(self, run, step):
        run.status = "failed"
        for change in (
            lambda: run.scores["purity"][0].__setitem__(0, 1.0),
            lambda: run.scores.update(mine=[[1.0]]),
            lambda: run.audit["measure"]["held_bytes"].append(7),
            lambda: step.scores.clear(),
            lambda: run.scores.clear(),
            lambda: run.scores["purity"].clear(),
        ):
            with pytest.raises(TypeError, match="read-only: work on a copy"):
                change()


class Hears:
    @hookimpl
    def lcbench_task_learned(self, run, step):
        self.heard = run, step


def test_plugins_and_listeners_get_read_only_copies_that_they_cannot_change_for_others(manager, caplog):
    record = make_record(audit={"measure": {"held_bytes": [1, 2]}})
    step = Step(
        learned=1, task="a", learn_seconds=0.0, predict_seconds=0.0, pickle_seconds=0.0, metric_seconds=0.0,
        state_bytes=0, scores={"purity": [0.5, None]}, labels={"a": np.zeros(3, int)}, agreement=[],
        largest=[1.0, None], objective_trace=None,
    )  # fmt: skip
    before = copy.deepcopy((record.to_json(), step.scores))
    others = [Hears(), Hears()]
    manager.register(others[0])
    manager.register(Vandal())
    manager.register(others[1])
    listener = Hears()
    Events(manager, [Vandal(), listener]).fire("lcbench_task_learned", run=record, step=step)
    assert caplog.messages == [], "no plugin failed"
    assert (record.to_json(), step.scores) == before
    for other in (*others, listener):
        run, told = other.heard
        assert run is not record
        assert (run.to_json(), told.scores) == before
        assert type(pickle.loads(pickle.dumps(run.scores))) is dict, "as in a copy that is sent elsewhere"
        assert (run.run_id, run.status) == (record.run_id, record.status)


def test_an_error_in_the_callers_own_listener_is_raised(manager):
    with pytest.raises(ValueError, match="boom"):
        Events(manager, [Listener(ValueError("boom"))]).fire("lcbench_run_started", run=make_record())


def test_a_listener_with_a_misspelt_hook_is_refused(manager):
    with pytest.raises(pluggy.PluginValidationError, match="lcbench_run_startet"):
        Events(manager, [Listener(), Misspelt()])

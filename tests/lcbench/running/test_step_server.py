from __future__ import annotations

import io
import json
import os
import pickle
import random
import subprocess
import sys

import numpy as np
import pytest
from making import make_task

from lcbench.running.harness import replay
from lcbench.running.messages import receive, send
from lcbench.running.randomness import generator_states
from lcbench.running.step_processes import FORKS, START
from lcbench.running.step_server import NO_MORE, _serve_one

SECONDS = 60


def answer(what, method, *arguments, states=None):
    """The answer to one request, served in this process; `method` is an instance, or the bytes of a pickle."""
    state = method if isinstance(method, bytes) else pickle.dumps(method)
    requests, answers = io.BytesIO(), io.BytesIO()
    send(requests, (what, list(sys.path), state, states or generator_states(), *arguments))
    requests.seek(0)
    before = generator_states()
    try:
        assert _serve_one(requests, answers, 1) == 0
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002
    answers.seek(0)
    return receive(answers)


def test_a_learned_task_gives_the_state_and_the_labels_of_the_method(cheats):
    task = make_task("task-1").task
    kind, (state, labels), _ = answer("learn", cheats.Lifelong(), task)
    expected = cheats.Lifelong().partial_fit(task)
    assert kind == "done"
    np.testing.assert_array_equal(labels, expected.labels_)
    assert pickle.loads(state).level_ == expected.level_


def test_a_prediction_gives_labels_only(cheats):
    old, new = (make_task(f"task-{t}", seed=t).task for t in (1, 2))
    method = cheats.Lifelong().partial_fit(old)
    kind, labels, _ = answer("predict", method, new)
    assert kind == "done"
    np.testing.assert_array_equal(labels, method.predict(new))


def test_a_whole_run_gives_the_labels_of_every_step(cheats, blob_stream):
    kind, found, _ = answer("run", cheats.Lifelong(), blob_stream.tasks(), "all", False)
    expected = [step.labels for step in replay(cheats.Lifelong(), blob_stream.tasks(), {})]
    assert kind == "done"
    assert [list(labels) for labels in found] == [list(labels) for labels in expected]
    for ours, theirs in zip(expected, found, strict=True):
        for task, labels in ours.items():
            np.testing.assert_array_equal(theirs[task], labels)


def test_a_step_draws_from_the_generators_it_was_sent_and_returns_them_as_they_are_then(cheats):
    states = random.Random(3).getstate(), np.random.RandomState(3).get_state()
    _, (_, labels), after = answer("learn", cheats.Draws(), make_task("task-1").task, states=states)
    same = np.random.RandomState(3)
    same.random_sample()
    np.testing.assert_array_equal(labels, same.randint(3, size=60))
    assert after[0] == states[0], "nothing was drawn from Python's generator"
    np.testing.assert_array_equal(after[1][1], same.get_state()[1])
    assert after[1][2] == same.get_state()[2]


def test_an_error_of_the_method_is_answered_with_its_name_and_message(cheats):
    assert answer("learn", cheats.Ends(how="raise"), make_task("a").task) == ("raised", "ValueError: no more")


def test_labels_that_break_the_contract_are_an_error(cheats, monkeypatch):
    monkeypatch.setattr(cheats.Lifelong, "predict", lambda self, task: np.zeros(7, dtype=int))
    kind, message = answer("predict", cheats.Lifelong(), make_task("a").task)
    assert kind == "raised"
    assert message.startswith("ContractError: Method Lifelong")
    assert "labels of shape (7,) for the 60 samples" in message


def test_a_method_that_cannot_be_unpickled_is_told_from_one_that_fails():
    kind, message = answer("learn", b"cnowhere\nMethod\n.", make_task("a").task)
    assert (kind, message) == ("unknown", "ModuleNotFoundError: No module named 'nowhere'")


def test_a_closed_pipe_ends_a_step_without_an_answer():
    answers = io.BytesIO()
    assert _serve_one(io.BytesIO(), answers, 1) == NO_MORE
    assert answers.getvalue() == b""


@pytest.mark.parametrize("forks", [0, pytest.param(1, marks=pytest.mark.skipif(not FORKS, reason="no forks here"))])
def test_a_server_answers_on_its_pipe_and_ends_when_the_pipe_is_closed(cheats, forks):
    arguments = [json.dumps(sys.path), str(os.getpid()), "1", str(forks)]
    with subprocess.Popen(
        [sys.executable, "-P", "-c", START, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        request = ("learn", sys.path, pickle.dumps(cheats.Talks()), generator_states(), make_task("task-1").task)
        for _ in range(1 + forks):
            send(server.stdin, request)
            kind, (_, labels), _ = receive(server.stdout)
            assert (kind, len(labels)) == ("done", 60)
        server.stdin.close()
        assert server.wait(SECONDS) == 0

"""The server process of the audit `isolate`: does each step in a fork of itself.

The server loads the libraries and never reads a request. On Linux every step is a fork of it, made before the request
is read; elsewhere the server does one step itself and ends.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from lcbench.running.messages import MessageError, private_pipes, receive, send
from lcbench.running.process_limits import die_with_parent, leave_no_core_files

NO_MORE = 3  # exit code of a step that got no request, as the parent has closed the pipe


def main() -> None:
    """Serve steps until the parent closes the pipe. Arguments: the parent's process id, threads, and 1 to fork or 0."""
    requests, answers = private_pipes(silent=True)
    leave_no_core_files()
    parent, threads, forks = (int(argument) for argument in sys.argv[-3:])
    die_with_parent(parent)
    _load()
    if not forks:
        sys.exit(_serve_one(requests, answers, threads))
    while True:
        server = os.getpid()
        step = os.fork()
        if step == 0:
            die_with_parent(server)
            os._exit(_serve_one(requests, answers, threads))
        _, status = os.waitpid(step, 0)
        if status != 0:
            _end_like(status)


def _load() -> None:
    """Import what every step needs, and no method."""
    import sklearn.cluster  # noqa: F401

    import lcbench.running.harness  # noqa: F401


def _end_like(status: int) -> None:
    """End with the exit code or signal of a failed step, so that the parent sees it."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(0 if code == NO_MORE else code)


def _serve_one(requests: BinaryIO, answers: BinaryIO, threads: int) -> int:
    """Read one request and send its answer; the exit code of the process."""
    try:
        request = receive(requests)
    except MessageError:
        return NO_MORE
    try:
        answer = _answer(request, threads)
    except (Exception, SystemExit) as error:
        answer = ("raised", f"{type(error).__name__}: {error}")
    try:
        send(answers, answer)
    except MessageError:
        return 1
    return 0


def _answer(request: tuple[Any, ...], threads: int) -> tuple[Any, ...]:
    """Unpickle the method and do what is asked: ("done", result, generators), or ("unknown", why) if it cannot be."""
    from lcbench.running.randomness import generator_states, set_generator_states
    from lcbench.running.threads import ThreadLimit

    what, path, state, generators, *arguments = request
    sys.path[:] = path
    try:
        method = pickle.loads(state)
    except Exception as error:
        return "unknown", f"{type(error).__name__}: {error}"
    set_generator_states(generators)
    with ThreadLimit(threads):
        result = _REQUESTS[what](method, *arguments)
    return "done", result, generator_states()


def _learn(method: Any, task: Any) -> tuple[bytes, Any]:
    from lcbench.running.harness import learn, learned_labels, pickled_state

    learn(method, task)
    labels = learned_labels(method, task)
    return pickled_state(method), labels


def _predict(method: Any, task: Any) -> Any:
    from lcbench.running.harness import checked_labels

    return checked_labels(method, task, method.predict(task), "predict")


def _run(method: Any, tasks: Any, evaluate: str, future: bool) -> list[dict[str, Any]]:
    from lcbench.running.harness import replay

    return [dict(step.labels) for step in replay(method, tasks, {}, evaluate=evaluate, future=future)]


_REQUESTS: dict[str, Callable[..., Any]] = {"learn": _learn, "predict": _predict, "run": _run}

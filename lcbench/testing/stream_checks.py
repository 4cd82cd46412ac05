"""Checks of a stream: valid tasks, shapes, the same data again, digest, no look-ahead."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields

from lcbench.contract.specs import CONTENT, TaskShape
from lcbench.contract.stream import TaskStream, check_tasks, content_digest
from lcbench.contract.task import LabelledTask
from lcbench.errors import InvalidTaskError
from lcbench.registry.file_modules import served
from lcbench.registry.spec_check import stream_differences
from lcbench.running.launching import absolute_path
from lcbench.running.randomness import GlobalGenerators
from lcbench.testing.checks import CheckList, SkippedError
from lcbench.testing.subjects import StreamSubject, agrees_with_spec, spec_of

STREAM_CHECKS = CheckList()
_PRINT_DIGEST = """
import json, pickle, sys
sys.path[:] = json.loads(sys.argv[1])
from lcbench.contract.stream import content_digest
from lcbench.registry.file_modules import SourceFile, serve
serve({name: SourceFile(*file) for name, file in json.loads(sys.argv[2]).items()})
sys.stdout.write(content_digest(pickle.load(sys.stdin.buffer)().tasks()))
"""  # it imports no more than the stream needs: scikit-learn alone takes a second


@STREAM_CHECKS.add("Derive it from lcbench.TaskStream, set `name`, and return a tuple of LabelledTask from tasks().")
def check_tasks_are_valid(subject: StreamSubject) -> None:
    """It is a TaskStream of tasks that differ in name and share their features."""
    stream = subject.build()
    assert isinstance(stream, TaskStream), f"{type(stream).__name__} is not derived from lcbench.TaskStream."
    assert isinstance(getattr(stream, "name", None), str), f"{type(stream).__name__} has no name that is a text."
    tasks = stream.tasks()
    wrong = next((task for task in tasks if not isinstance(task, LabelledTask)), None)
    assert wrong is None, f"tasks() gives a {type(wrong).__name__} where a LabelledTask is needed."
    try:
        check_tasks(subject.label, tasks)
    except InvalidTaskError as error:
        raise AssertionError(str(error)) from error


@STREAM_CHECKS.add("Let the StreamSpec name the parameters of the class, with its defaults.")
def check_stream_spec(subject: StreamSubject) -> None:
    """The spec says what the factory takes."""
    agrees_with_spec(subject, stream_differences)


@STREAM_CHECKS.add("Declare the shapes that tasks() makes under these parameters in `tasks` of the StreamSpec.")
def check_shapes(subject: StreamSubject) -> None:
    """Names, samples, features, clusters and classes of its tasks are those that its spec declares."""
    declared = spec_of(subject).shapes(subject.params)
    made = [task.shape for task in subject.tasks]
    names = [shape.name for shape in declared], [shape.name for shape in made]
    assert names[0] == names[1], f"It declares the tasks {', '.join(names[0])}, but makes {', '.join(names[1])}."
    for ours, theirs in zip(declared, made, strict=True):
        for field in fields(TaskShape):
            said, found = getattr(ours, field.name), getattr(theirs, field.name)
            same = said in (None, ()) or said == found
            assert same, f"It declares {field.name} = {said!r} for task '{ours.name}', which has {found!r}."


@STREAM_CHECKS.add("Take all randomness from parameters; let nothing depend on the process, the clock or the folder.")
def check_reproducible(subject: StreamSubject) -> None:
    """The same parameters give the same data again, also in another process."""
    digest = content_digest(subject.tasks)
    with GlobalGenerators(1):
        again = content_digest(subject.build().tasks())
    assert again == digest, "It gives other data when it is built a second time."
    try:
        build = pickle.dumps(subject.build)
    except Exception:  # an instance of a class in a notebook, say
        return
    assert _digest_elsewhere(build) in (digest, None), "It gives other data in another process."


@STREAM_CHECKS.add("Write the digest that is named into the StreamSpec, and write it anew when data change.")
def check_digest(subject: StreamSubject) -> None:
    """Its digest changes with the data: it is a hash of them, or names the revision of what makes them."""
    if subject.spec is None:
        raise SkippedError("an instance is identified by its content")
    found = content_pin(subject.tasks)
    empty = f"Its digest is empty, so that stored runs stay when its data change. Write digest={found!r}"
    assert subject.spec.digest, empty
    if not subject.spec.digest.startswith(CONTENT):
        raise SkippedError(f"'{subject.spec.digest[:24]}' is no hash of tasks: its data cannot be compared with it")
    if {p.name: p.default for p in subject.spec.params} != subject.params:
        raise SkippedError("its digest is that of the data under default parameters")
    assert subject.spec.digest == found, f"Its data are not those of its digest. Write digest={found!r}"


@STREAM_CHECKS.add("Make each task from itself and those before it alone, or declare looks_ahead=True.")
def check_look_ahead(subject: StreamSubject) -> None:
    """A stream that declares no look-ahead makes its first tasks without those that come after them."""
    if subject.spec is None or subject.spec.looks_ahead_with(subject.params) is not False:
        raise SkippedError("it does not declare looks_ahead=False")
    tasks = subject.params.get("tasks")
    if not isinstance(tasks, int) or tasks < 2:
        raise SkippedError("it has no parameter `tasks` that could be made smaller to try it")
    fewer = subject.with_params(tasks=tasks - 1).tasks
    for one, other in zip(subject.tasks, fewer, strict=False):
        same = content_digest([one]) == content_digest([other])
        assert same, f"Task '{one.name}' is another one when there is a task less after it."


def content_pin(tasks: Sequence[LabelledTask]) -> str:
    """The digest of a stream that pins the content of these tasks."""
    return CONTENT + content_digest(tasks)


def _digest_elsewhere(build: bytes) -> str | None:
    """The content digest of the stream in a fresh process with other hashes; None if it cannot be built there."""
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    words = [sys.executable, "-P", "-c", _PRINT_DIGEST, json.dumps(absolute_path()), json.dumps(served())]
    found = subprocess.run(words, input=build, env=environment, capture_output=True, check=False)
    return found.stdout.decode().strip() if found.returncode == 0 else None

"""Runs that another machine carried out, as bytes: packed there, read and checked here.

A report is a message for each step and one for the end, in the form in which a method's process speaks to lcbench:
JSON and raw integers. It is what a worker claims, and is checked as a process is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lcbench.audit.verdict import MEASURE, MODES
from lcbench.records.record import OK, STATUSES
from lcbench.running.assignment import (
    LONGEST_ERROR,
    Assignment,
    checked_count,
    checked_measure,
    checked_seconds,
)  # fmt: skip
from lcbench.running.forwarded_logs import MOST_LOGGED
from lcbench.running.isolated_run import Ending
from lcbench.running.steps import Learned
from lcbench.running.wire import Reader, WireError, packed

MOST_LINES, LONGEST_LINE = 32, 400  # of a traceback
LONGEST_FACTS = 100_000  # characters of JSON about a machine


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """The steps of a run and its end, the facts about its machine, and what its process logged."""

    steps: Sequence[Learned]
    ending: Ending
    environment: dict[str, Any]
    logs: Sequence[dict[str, Any]]


def packed_step(assigned: Assignment, step: Learned) -> bytes:
    """The message of one step: its facts, then the labels of the task just learned and those of the others."""
    others = {name: labels for name, labels in step.labels.items() if name != step.task}
    facts = {
        "tasks": [assigned.order.index(name) for name in others],
        "learn_seconds": step.learn_seconds,
        "predict_seconds": step.predict_seconds,
        "pickle_seconds": step.pickle_seconds,
        "state_bytes": step.state_bytes,
        "objective_trace": step.objective_trace,
    }
    labels = (step.labels[step.task], *others.values())
    return packed(facts, b"".join(each.astype("<i8").tobytes() for each in labels))


def packed_end(ending: Ending, environment: Mapping[str, Any], logs: Sequence[Mapping[str, Any]]) -> bytes:
    """The last message of a report."""
    return packed(
        {
            "status": ending.status,
            "error": ending.error,
            "traceback": ending.traceback,
            "audit": ending.audit,
            "peak_bytes": ending.peak_bytes,
            "cpu_seconds": ending.cpu_seconds,
            "processes_left": ending.processes_left,
            "environment": environment,
            "logs": list(logs),
        }
    )


def read_report(assigned: Assignment, content: Sequence[bytes]) -> Report:
    """The report that these messages make; WireError if they make none."""
    *steps, last = content or [b""]
    if len(steps) > len(assigned.order):
        raise WireError("it sent more steps than there are tasks")
    read = [_step(assigned, message, i) for i, message in enumerate(steps)]
    facts, rest = _message(last, 0)
    ending = _ending(facts, len(read))
    if rest or (ending.status == OK and len(read) < len(assigned.order)):
        raise WireError("it sent fewer steps than there are tasks")
    return Report(read, ending, _environment(facts.get("environment")), _logs(facts.get("logs")))


def _message(content: Any, most: int) -> tuple[dict[str, Any], bytes]:
    reader = Reader()
    reader.feed(content if isinstance(content, bytes) else b"")
    found = reader.take(most)
    if found is None or reader.unread:
        raise WireError("it sent no whole message")
    return found


def _step(assigned: Assignment, content: bytes, done: int) -> Learned:
    facts, labels = _message(content, assigned.most_bytes)
    own = 8 * assigned.sizes[assigned.places[done]]
    return assigned.step(facts, labels[own:], done, assigned.labels(labels[:own], [done])[0])


def _ending(facts: Mapping[str, Any], done: int) -> Ending:
    status, error, lines = facts.get("status"), facts.get("error"), facts.get("traceback")
    if status not in STATUSES or not (error is None or isinstance(error, str)) or not isinstance(lines, list):
        raise WireError("it sent no end of a run")
    audit = facts.get("audit")
    if not isinstance(audit, dict) or not set(audit) <= set(MODES) or (status == OK and MEASURE not in audit):
        raise WireError("it sent audits that are none")
    peak, cpu = facts.get("peak_bytes"), facts.get("cpu_seconds")
    return Ending(
        status=status,
        error=None if error is None else error[: 2 * LONGEST_ERROR],
        traceback=[str(line)[:LONGEST_LINE] for line in lines[:MOST_LINES]],
        audit={
            mode: checked_measure(found, done) if mode == MEASURE else _audit(found, done)
            for mode, found in audit.items()
        },
        peak_bytes=None if peak is None else checked_count(peak),
        cpu_seconds=None if cpu is None else checked_seconds(cpu),
        processes_left=checked_count(facts.get("processes_left")),
    )


def _audit(found: Any, done: int) -> dict[str, Any]:
    """The result of the audit `isolate` or `poison`; WireError if it is none."""
    if not isinstance(found, dict) or "passed" not in found:
        raise WireError("it sent an audit that is none")
    checked: dict[str, Any] = {}
    for name, value in found.items():
        if name in ("passed", "repeats", "private_folders") and (value is None or isinstance(value, bool)):
            checked[name] = value
        elif name in ("task", "error", "reason") and isinstance(value, str):
            checked[name] = value[:LONGEST_ERROR]
        elif name == "step" and value in range(1, done + 1):
            checked[name] = int(value)
        elif name == "samples":
            checked[name] = checked_count(value)
        elif name == "seconds":
            checked[name] = checked_seconds(value)
        else:
            raise WireError("it sent an audit that is none")
    return checked


def _environment(found: Any) -> dict[str, Any]:
    if not isinstance(found, dict) or len(json.dumps(found)) > LONGEST_FACTS:
        raise WireError("it sent no facts about its machine")
    return found


def _logs(found: Any) -> list[dict[str, Any]]:
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise WireError("it sent messages that are none")
    return found[: 2 * MOST_LOGGED]

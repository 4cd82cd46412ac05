"""Checks a submission: its files, its runs against the suite, and every score by the labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lcbench.errors import RecordError, SubmissionError
from lcbench.experiment.rescoring import NotRescoredError, Rescoring
from lcbench.experiment.suites import Suite, read_suite
from lcbench.printable import duration
from lcbench.reading import is_folder
from lcbench.records.record import OK, RunRecord, is_scored, parse_evaluate
from lcbench.submission.description import Description, SubmittedMethod, code_facts, read_description
from lcbench.submission.expected import expected_runs, is_solo, why_not_expected
from lcbench.submission.folder import DESCRIPTION, folder_faults, submission_id
from lcbench.submission.stored_runs import StoredRuns

SHORT = 10


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission that was read: its description, its suite, and its runs by id, without labels.

    `id` is the SHA-256 of its manifest. `solos` are the runs that learned one task alone.
    """

    folder: Path
    id: str
    description: Description
    suite: Suite
    runs: dict[str, RunRecord]
    solos: dict[str, RunRecord]

    @property
    def failed(self) -> list[RunRecord]:
        """The runs that failed: they count as one cluster."""
        return [run for run in (*self.runs.values(), *self.solos.values()) if run.status != OK]

    def runs_of(self, method: SubmittedMethod) -> list[RunRecord]:
        """The runs of a method on all streams, those over single tasks left out."""
        return [run for run in self.runs.values() if run.label == method.label]


@dataclass(slots=True)
class Checked:
    """The outcome of a check: a sentence for every fault, or else the submission.

    `scores` counts those that were computed again; `not_scored` are reasons why some could not be, with the number of
    runs. A submission without faults whose scores were all computed again has the level `scored`.
    """

    submission: Submission | None = None
    faults: list[str] = field(default_factory=list)
    scores: int = 0
    not_scored: Counter[str] = field(default_factory=Counter)

    @property
    def scored(self) -> bool:
        """True if nothing is wrong, and every score was computed again."""
        return self.submission is not None and not self.faults and not self.not_scored


def check_submission(folder: Path) -> Checked:
    """Check the folder of a submission; SubmissionError if it is none, or names a suite that is not installed."""
    if not is_folder(folder):
        raise SubmissionError(f"There is no folder '{folder}'.")
    faults = list(folder_faults(folder))
    if faults:
        return Checked(faults=faults)
    description = read_description(folder / DESCRIPTION, DESCRIPTION)
    suite = read_suite(description.suite, quick=description.quick)
    if suite.digest != description.suite_digest:
        fault = (
            f"{DESCRIPTION}: suite_digest is not that of suite '{suite.name}' here, {suite.digest}: it was made for "
            "another suite of that name"
        )
        return Checked(faults=[fault])
    submission = Submission(folder, submission_id(folder), description, suite, {}, {})
    checked = Checked(submission)
    with Rescoring() as rescoring:
        checked.faults += _run_faults(submission, rescoring, checked.not_scored)
        checked.scores = rescoring.count
    return checked


def _run_faults(submission: Submission, rescoring: Rescoring, not_scored: Counter[str]) -> Iterator[str]:
    """The faults of the runs; those that the suite wants are added to the submission."""
    methods = submission.description.methods
    expected = expected_runs(submission.suite, methods)
    stored = StoredRuns(submission.folder)
    there = stored.ids()
    for run_id in there:
        try:
            run = stored.load(run_id)
        except RecordError as error:
            yield f"run {run_id[:SHORT]}: {error}"
            continue
        wanted = expected.get(run_id)
        if wanted is None:
            yield f"run {run_id[:SHORT]}: {why_not_expected(run, expected, methods)}"
            continue
        named = f"run {run_id[:SHORT]} ({wanted.label} on {wanted.stream_label})"
        yield from (f"{named}: {fault}" for fault in _faults(run, wanted, submission))
        unusable = _unusable_labels(run)
        if unusable:
            yield f"{named}: {unusable}"
        try:
            if run.labels and not unusable:
                yield from (f"{named}: {difference}" for difference in rescoring.differences(run))
        except NotRescoredError as error:
            not_scored[str(error)] += 1
        run.labels = []
        (submission.solos if is_solo(wanted) else submission.runs)[run_id] = run
    for run_id in stored.labels_without_record():
        yield f"run {run_id[:SHORT]}: it has labels and no record"
    for run_id, wanted in expected.items():
        if run_id not in there:
            alone = "alone " if is_solo(wanted) else ""
            yield (
                f"run {run_id[:SHORT]} ({wanted.label} {alone}on {wanted.stream_label}, repeat {wanted.repeat}, "
                f"{wanted.order[0]} first) is missing: a run that failed is part of a submission"
            )


def _faults(run: RunRecord, wanted: RunRecord, submission: Submission) -> Iterator[str]:
    """The facts of a run that differ from what the suite wants, its scores aside."""
    suite, description = submission.suite, submission.description
    for name in ("setting", "label", "stream_label", "stream_tasks"):
        if getattr(run, name) != getattr(wanted, name):
            yield f"its {name} is {getattr(run, name)!r}, and should be {getattr(wanted, name)!r}"
    method = next(each for each in description.methods if each.label == wanted.label)
    if code_facts(run.code) != description.code_of(method):
        yield "the code that it names is not that of submission.toml"
    if run.isolated is not True:
        yield "the method had no process of its own, so that it could reach labels"
    if suite.file.sealed and not run.sealed:
        yield "it was not sealed, which the suite demands"
    if sorted(run.scores) != sorted(suite.metrics) and (run.status == OK or run.scores):
        yield f"it has scores by {', '.join(run.scores) or 'nothing'}, and the suite wants {', '.join(suite.metrics)}"
    elif run.status == OK:
        yield from _gaps(run)
    spent = sum((*run.learn_seconds, *run.predict_seconds))
    if run.status == OK and spent > suite.seconds:
        yield f"it took {duration(spent)}, and the suite allows {suite.file.budget.time}"


def _unusable_labels(run: RunRecord) -> str:
    """The reason why the labels of a run cannot be compared with each other or with classes; empty if they can."""
    sizes: dict[str, int] = {}
    for task, labels in zip(run.order, run.labels, strict=False):
        if task not in labels:
            return f"it has no labels of task '{task}' after learning it"
        for name, found in labels.items():
            if not len(found) or sizes.setdefault(name, len(found)) != len(found):
                return f"its labels of task '{name}' are none, or of another number from step to step"
    return ""


def _gaps(run: RunRecord) -> Iterator[str]:
    """The first cell of a run that ended well that has no score or no labels though it must."""
    every, tasks = parse_evaluate(run.evaluate), len(run.order)
    if len(run.labels) != tasks:
        yield "it lacks labels of some tasks"
        return
    for i, labels in enumerate(run.labels):
        due = range(i + 1) if is_scored(i + 1, tasks, every) else ()
        for j in due:
            if run.order[j] not in labels or any(R[i][j] is None for R in run.scores.values()):
                yield f"task '{run.order[j]}' has no labels or no score after {i + 1} of {tasks} tasks"
                return

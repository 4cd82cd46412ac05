"""Runs again those runs of a submission that a nonce draws, and compares their labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lcbench import __version__
from lcbench.contract.hashing import canonical_json
from lcbench.contract.metric import Contingency
from lcbench.errors import LcbenchError, SubmissionError
from lcbench.experiment.pipeline import Outcome, Prepared, prepare
from lcbench.experiment.planning import Plan
from lcbench.experiment.resolving import configured_methods
from lcbench.experiment.resuming import find_backlog
from lcbench.records.record import OK, RunRecord, timestamp
from lcbench.registry.host import plugin_host
from lcbench.registry.names import format_entry
from lcbench.running.provenance import code_of
from lcbench.submission.checking import Submission
from lcbench.submission.description import SubmittedMethod, code_facts
from lcbench.submission.expected import expected_runs
from lcbench.submission.stored_runs import StoredRuns
from lcbench.submission.verification import Ending, Verification, VerifiedRun, draw

LEAST_AGREEMENT = 0.999
_PLATFORM = ("system", "machine", "implementation", "python", "libraries", "simd")
_PACKAGES = ("numpy", "scipy", "scikit-learn")


def prepare_reruns(submission: Submission, *, nonce: str, sample: int, **how: Any) -> Prepared:
    """The runs that a nonce draws, ready to be carried out as the suite says; nothing is looked up or kept.

    SubmissionError if the code that is installed here is not that of the submission. `how` are options that do not
    change the runs.
    """
    description = submission.description
    expected = expected_runs(submission.suite, description.methods)
    drawn = draw(expected, submission.id, nonce, sample)
    methods = {method.label: _installed(method, submission) for method in description.methods}
    prepared = prepare(*submission.suite.experiments(methods, **how, results=None))
    planned = {run.run_id: run for run in prepared.plan}
    plan = Plan([replace(planned[run_id], solo=False) for run_id in drawn])
    return replace(prepared, plan=plan, backlog=find_backlog(plan, None, prepared.asked))


def _installed(method: SubmittedMethod, submission: Submission) -> str:
    """The method as a user would type it; SubmissionError unless the code of the submission is installed here."""
    package = submission.description.package
    called = f"'{method.label}' cannot be run again here"
    advice = f"install {package.wheel} with SHA-256 {package.wheel_sha256}"
    text = format_entry(method.name, method.values)
    try:
        (entry,) = configured_methods([text], plugin_host().registry)
    except LcbenchError as error:
        raise SubmissionError(f"{called}: {str(error).rstrip('.')}. Its code must be there: {advice}.") from None
    said = (method.revision, method.setting, canonical_json(method.values))
    if (entry.revision, entry.setting, canonical_json(entry.params)) != said:
        raise SubmissionError(f"{called}: its revision, setting or parameters are others: {advice}.")
    if code_facts(code_of(entry)) != submission.description.code_of(method):
        raise SubmissionError(
            f"{called}: the installed {package.distribution} is not that of the submission: {advice}."
        )
    return text


def verification_of(submission: Submission, again: Outcome, *, nonce: str, sample: int) -> Verification:
    """Compares runs that were made again with those submitted, in the order in which they were drawn."""
    stored, here = StoredRuns(submission.folder), {run.run_id: run for run in again}
    expected = expected_runs(submission.suite, submission.description.methods)
    drawn = draw(expected, submission.id, nonce, sample)
    return Verification(
        submission=submission.id, suite=submission.suite.name, suite_digest=submission.suite.digest, nonce=nonce,
        sample=sample, total=len(expected), when=timestamp(), lcbench=__version__,
        platform=_platform(next(iter(here.values()))),
        runs=[compare_runs(stored.load(run_id), here[run_id]) for run_id in drawn],
    )  # fmt: skip


def compare_runs(submitted: RunRecord, here: RunRecord) -> VerifiedRun:
    """The outcome of a submitted run that was made again here; both have their labels."""
    outcome, agreement, why = _compared(submitted, here)
    return VerifiedRun(
        run_id=submitted.run_id, method=submitted.label, stream=submitted.stream_label, outcome=str(outcome),
        agreement=agreement, labels_digest=here.labels_digest or "", seconds=round(sum(here.learn_seconds), 3), why=why,
    )  # fmt: skip


def _compared(submitted: RunRecord, here: RunRecord) -> tuple[Ending, float, str]:
    if here.status != OK:
        ending = Ending.FAILED_HERE if submitted.status == OK else Ending.FAILED_AS_WELL
        return ending, 0.0, here.error or here.status
    if submitted.status != OK:
        return Ending.FINISHED_HERE, 0.0, f"it was submitted as {submitted.status}"
    if here.labels_digest == submitted.digest:
        return Ending.IDENTICAL, 1.0, ""
    agreement = _agreement(submitted, here)
    if agreement < LEAST_AGREEMENT:
        return Ending.DIFFERS, agreement, "these are not the labels that the method gives here"
    if _facts(submitted.environment) == _facts(here.environment):
        return Ending.DIFFERS, agreement, "the platform is the same, so that the labels should be"
    return Ending.AGREES, agreement, f"submitted from {_platform(submitted)}"


def _agreement(one: RunRecord, other: RunRecord) -> float:
    """The least ARI of the labels of a task in a step; 0 if there are labels for other tasks."""
    if [set(step) for step in one.labels] != [set(step) for step in other.labels]:
        return 0.0
    pairs = [
        (labels, step[task])
        for before, step in zip(one.labels, other.labels, strict=True)
        for task, labels in before.items()
    ]
    if any(len(before) != len(after) for before, after in pairs):
        return 0.0
    return min((Contingency(before, after).adjusted_rand_index for before, after in pairs), default=0.0)


def _facts(environment: Mapping[str, Any]) -> str:
    """All about a machine that may change the last digits of a number."""
    packages = environment.get("packages") or {}
    return canonical_json([[environment.get(key) for key in _PLATFORM], [packages.get(name) for name in _PACKAGES]])


def _platform(run: RunRecord) -> str:
    """The machine and the packages of a run in a line."""
    facts = run.environment
    packages = facts.get("packages") or {}
    versions = ", ".join(f"{name} {packages.get(name)}" for name in _PACKAGES)
    kinds = sorted({str(each["architecture"]) for each in facts.get("libraries") or () if each.get("architecture")})
    kinds.append(str(facts.get("simd", "vector instructions unknown")) or "no vector instructions")
    return (
        f"{facts.get('system')} {facts.get('machine')} ({', '.join(kinds)}), Python {facts.get('python')}, {versions}"
    )

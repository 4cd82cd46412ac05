"""The file verification.toml: runs that a nonce draws, their outcome, and the level given.

Pydantic is slow to import: import this module only where such a file is read or written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field

from lcbench.contract.hashing import canonical_json
from lcbench.errors import SubmissionError
from lcbench.printable import counted
from lcbench.reading import is_there
from lcbench.records.record import RunRecord
from lcbench.submission.checking import Submission
from lcbench.submission.description import Sha256
from lcbench.submission.expected import expected_runs, is_solo
from lcbench.submission.folder import VERIFICATION
from lcbench.toml_files import Count, Table, Text, read_toml, toml_text
from lcbench.writing import write_whole


class Level(StrEnum):
    """The level to which the figures of a method were checked.

    `scored`: every score was computed again from the labels. `rerun`: also, the runs that a verifier drew were run
    again, and all labels agree, though some are not the same on another platform. `verified`: all of these have the
    same labels, bit for bit.
    """

    SCORED = "scored"
    RERUN = "rerun"
    VERIFIED = "verified"


class Ending(StrEnum):
    """The outcome of running a submitted run again."""

    IDENTICAL = "identical"
    AGREES = "agrees"
    FAILED_AS_WELL = "failed as well"
    DIFFERS = "differs"
    FAILED_HERE = "failed here"
    FINISHED_HERE = "finished here"


PASSED = (Ending.IDENTICAL, Ending.AGREES, Ending.FAILED_AS_WELL)
_ENDINGS = "|".join(Ending)


class VerifiedRun(Table):
    """A run that was made again: its outcome, the least ARI of its labels with those submitted, and their digest."""

    run_id: Sha256
    method: Text
    stream: Text
    outcome: Annotated[str, Field(pattern=f"^({_ENDINGS})$", description=f"one of {', '.join(Ending)}")]
    agreement: Annotated[float, Field(ge=-1, le=1, strict=False, description="a number from -1 to 1")]
    labels_digest: Annotated[str, Field(description="a text")]
    seconds: Annotated[float, Field(ge=0, strict=False, description="a number of at least 0")]
    why: Annotated[str, Field(description="a text")] = ""

    @property
    def passed(self) -> bool:
        """True if the run came out as it was submitted."""
        return self.outcome in PASSED


class Verification(Table):
    """The runs of a submission that a nonce drew, out of how many, where they were run again, and their outcome."""

    submission: Sha256
    suite: Text
    suite_digest: Sha256
    nonce: Text
    sample: Count
    total: Count
    when: Text
    lcbench: Text
    platform: Text
    runs: Annotated[list[VerifiedRun], Field(min_length=1, description="a list with an entry or more")]

    def level_of(self, method: str) -> Level:
        """The level of the method of a label, given that the submission was checked."""
        runs = [run for run in self.runs if run.method == method]
        if not runs or not all(run.passed for run in runs):
            return Level.SCORED
        exact = all(run.outcome != Ending.AGREES for run in runs)
        return Level.VERIFIED if exact else Level.RERUN

    def write(self, file: Path) -> None:
        """Write the file."""
        write_whole(file, toml_text(self.model_dump(mode="json")).encode())


def draw(expected: Mapping[str, RunRecord], submission: str, nonce: str, sample: int) -> list[str]:
    """The ids of `sample` runs, in the order in which they are drawn.

    Runs are sorted by the SHA-256 of nonce, submission and run id, those over many tasks and those over one task of
    each method by themselves; then each of these groups gives one in turn. So a sample has every method, and the many
    small runs over one task do not crowd out those that decide its scores.
    """
    groups: dict[tuple[bool, str], list[str]] = {}
    for run_id, run in expected.items():
        groups.setdefault((is_solo(run), run.label), []).append(run_id)
    methods = len({label for _, label in groups})
    if sample < methods:
        raise SubmissionError(
            f"The sample has at least one run of each method: draw at least {counted(methods, 'run')}, not {sample}."
        )

    def ticket(run_id: str) -> str:
        return hashlib.sha256(canonical_json([nonce, submission, run_id]).encode()).hexdigest()

    turns = [
        (turn, *group, run_id) for group, runs in groups.items() for turn, run_id in enumerate(sorted(runs, key=ticket))
    ]
    return [run_id for _, _, _, run_id in sorted(turns)][:sample]


def read_verification(submission: Submission) -> Verification | None:
    """The verification in the folder of a submission; None if there is none.

    SubmissionError if it is of another submission, or not of the runs that its nonce draws. It is the word of whoever
    wrote it: one that came with the submission proves nothing.
    """
    file = submission.folder / VERIFICATION
    if not is_there(file):
        return None
    found = read_toml(file, Verification, error=SubmissionError)
    if found.submission != submission.id:
        raise SubmissionError(f"{file}: it is the verification of another submission, or of an earlier state of this.")
    expected = expected_runs(submission.suite, submission.description.methods)
    drawn = draw(expected, submission.id, found.nonce, found.sample)
    if [run.run_id for run in found.runs] != drawn or found.total != len(expected):
        raise SubmissionError(f"{file}: its runs are not those that its nonce draws.")
    submitted = submission.runs | submission.solos
    for run in found.runs:
        same = run.labels_digest == (submitted[run.run_id].digest or "")
        if run.method != expected[run.run_id].label or (run.outcome == Ending.IDENTICAL and not same):
            raise SubmissionError(f"{file}: what it says of run {run.run_id[:10]} does not fit the submission.")
    return found


def levels(submission: Submission, verification: Verification | None) -> dict[str, Level]:
    """The level of each method of a submission that was checked, by its label."""
    labels = [method.label for method in submission.description.methods]
    return {label: Level.SCORED if verification is None else verification.level_of(label) for label in labels}

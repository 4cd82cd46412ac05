"""`lcbench submit`: packs runs of a suite into a submission, checks and verifies one."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.help import WHAT, argument, examples, group, option
from lcbench.cli.messages import say
from lcbench.cli.run_options import Debug, Quiet, option_of
from lcbench.cli.stored_runs import Folder
from lcbench.cli.suite import QuickPart, SuiteName
from lcbench.errors import DataUnavailableError, ParameterError, SubmissionError
from lcbench.printable import counted, printable_line, shortened
from lcbench.records import DEFAULT_FOLDER

if TYPE_CHECKING:
    from lcbench.submission.checking import Checked, Submission
    from lcbench.submission.verification import Verification

SubmissionFolder = Annotated[Path, argument("The folder of a submission.", "DIR")]
NOT_PROVEN = "Labels are public, so only a rerun can detect forgery"


def build_submit_app() -> typer.Typer:
    """Builds the group `lcbench submit` with its commands."""
    return group(_submit, pack=pack, check=check, verify=verify)


@examples(
    (
        "lcbench submit pack lifelong-1 -m mine --about about.toml --wheel mine.whl",
        "Of a method that has run on a suite.",
    ),
    ("lcbench submit check submission", "Is it complete, and are its scores those of its labels?"),
    ("lcbench submit verify submission --sample 10", "Run ten of its runs again."),
)
def _submit() -> None:
    """Make, check and verify submissions of runs on a suite."""


@examples(
    (
        "lcbench submit pack lifelong-1 -m mine --about about.toml --wheel mine.whl",
        "Of a method that has run on a suite.",
    ),
    ("lcbench submit pack lifelong-1 --quick -m mine --about a.toml --wheel mine.whl", "Of its quick version."),
    ("lcbench submit pack lifelong-1 -m mine:k=4 --about a.toml --wheel mine.whl", "Of a method with a parameter."),
)
def pack(
    suite: SuiteName,
    method: Annotated[
        list[str], option_of("methods", help="Method, with parameters as it was run. May be repeated.", shown=None)
    ],
    about: Annotated[
        Path,
        option(
            "--about",
            "A TOML file with code, paper, contact, tuning, outside_data and labels, a text each.",
            "FILE",
            group=WHAT,
        ),
    ],
    wheel: Annotated[Path, option("--wheel", "The wheel that holds the code of the methods.", "FILE", group=WHAT)],
    out: Annotated[Path, option("--out", "The folder to write.", "DIR")] = Path("submission"),
    quick: QuickPart = False,
    results: Folder = DEFAULT_FOLDER,
    debug: Debug = False,
) -> None:
    """Write a submission: the runs of methods on a suite.

    A folder with submission.toml, the records and labels of all runs, and a manifest of their digests.
    """
    _set_threads()
    from lcbench.experiment.suites import read_suite
    from lcbench.submission.description import read_about
    from lcbench.submission.packing import pack as pack_runs

    packed = pack_runs(
        read_suite(suite, quick=quick), method, results=Path(results), about=read_about(about), wheel=wheel, folder=out
    )
    failed = f", {counted(packed.failed, 'failed run')} among them" if packed.failed else ""
    print(printable_line(f"{counted(packed.runs, 'run')} in {packed.folder}{failed}; submission {packed.id}"))
    say(f"'lcbench submit check {packed.folder}' does what others will do first.")


@examples(
    ("lcbench submit check submission", "Is it complete, and are its scores those of its labels?"),
    ("lcbench submit check submission && echo well", "As a step of a script."),
    ("lcbench submit check submission --debug", "With tracebacks."),
)
def check(folder: SubmissionFolder, debug: Debug = False) -> None:
    """Check the files, the runs and every score of a submission.

    Files are as packed, runs are those of the suite, scores are those of the labels. The methods need not be
    installed. Prints a line for each fault, and ends with exit code 1 if there is one, or with 3 if some scores could
    not be computed again.
    """
    submission = _passed(check_folder(folder))
    print(f"Level: {_levels(submission, known_verification(submission))}.")
    say(f"{NOT_PROVEN}: 'lcbench submit verify' runs some again.")


@examples(
    ("lcbench submit verify submission --sample 10", "Run ten of its runs again, drawn by a nonce of this moment."),
    ("lcbench submit verify submission --nonce 2026-11-18", "Runs that a text of yours draws."),
    ("lcbench submit verify submission --sealed --out mine.toml", "Sealed off; the outcome in a file of its own."),
)
def verify(
    folder: SubmissionFolder,
    sample: Annotated[int, option("--sample", "How many runs to run again.", "N", group=WHAT, min=1)] = 5,
    nonce: Annotated[
        str | None,
        option(
            "--nonce",
            "A text that the submitter could not know; it draws the runs.",
            "X",
            group=WHAT,
            shown="drawn now",
        ),
    ] = None,
    jobs: Annotated[int | None, option_of("jobs", shown="one per core")] = None,
    sealed: Annotated[bool, option_of("sealed")] = False,
    out: Annotated[Path | None, option("--out", "The file to write.", "FILE", shown="DIR/verification.toml")] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Check a submission, and run some of its runs again.

    Which ones is decided by the nonce. The methods must be installed: their code is executed. The outcome is written
    to verification.toml; ends with exit code 1 if a run comes out otherwise than it was submitted.
    """
    if nonce is not None and not nonce.strip():
        raise ParameterError("A nonce is a text that nobody could know before, such as the output of 'uuidgen'.")
    submission = _passed(check_folder(folder))
    from lcbench.submission.folder import VERIFICATION

    nonce = nonce or os.urandom(16).hex()
    found = _run_again(submission, nonce, sample, jobs=jobs or os.cpu_count() or 1, sealed=sealed, quiet=quiet)
    found.write(out or folder / VERIFICATION)
    for run in found.runs:
        agreement = f" (ARI at least {run.agreement:.4f})" if run.outcome in ("agrees", "differs") else ""
        why = f": {run.why}" if run.why else ""
        print(printable_line(f"{run.run_id[:10]} {run.method} on {run.stream}: {run.outcome}{agreement}{why}"))
    counts = Counter(run.outcome for run in found.runs)
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    print(f"{len(found.runs)} of {counted(found.total, 'run')} drawn by nonce {printable_line(nonce)}: {told}.")
    print(f"Level: {_levels(submission, found)}.")
    if not all(run.passed for run in found.runs):
        raise typer.Exit(1)


def _run_again(
    submission: Submission, nonce: str, sample: int, *, jobs: int, sealed: bool, quiet: bool
) -> Verification:
    from lcbench.cli.progress import Progress, transfers_shown
    from lcbench.experiment.pipeline import carry_out
    from lcbench.submission.reruns import prepare_reruns, verification_of

    prepared = prepare_reruns(submission, nonce=nonce, sample=sample, jobs=jobs, sealed=sealed)
    progress = Progress(quiet=quiet)
    with progress, transfers_shown():
        again = carry_out(prepared, listeners=[progress], announce=progress.add)
    return verification_of(submission, again, nonce=nonce, sample=len(again))


def _set_threads() -> None:
    from lcbench.running.threads import set_thread_variables

    set_thread_variables(1)  # before numpy is imported


def check_folder(folder: Path) -> Checked:
    """Checks a submission, with bars for data that are fetched."""
    _set_threads()
    from lcbench.cli.progress import transfers_shown
    from lcbench.submission.checking import check_submission

    with transfers_shown():
        return check_submission(folder)


def _passed(checked: Checked) -> Submission:
    """Prints the outcome of a check, and ends the command unless all is well."""
    for fault in checked.faults:
        print(shortened(printable_line(fault)))
    if checked.faults or checked.submission is None:
        print(f"Refused: {counted(len(checked.faults), 'fault')}.")
        raise typer.Exit(1)
    submission, failed = checked.submission, checked.submission.failed
    package, methods = submission.description.package, submission.description.methods
    named = ", ".join(method.label for method in methods)
    part = ", quick version" if submission.suite.quick else ""
    told = f"{named} of {package.distribution} {package.version} on {submission.suite.tag}{part}"
    print(printable_line(f"{told}; submission {submission.id}"))
    count = len(submission.runs) + len(submission.solos)
    also = f"; {counted(len(failed), 'failed run')}, each counted as one cluster" if failed else ""
    print(f"Complete: {counted(count, 'run')}, as packed{also}.")
    print(f"{counted(checked.scores, 'score')} computed again from the labels.")
    for reason, number in checked.not_scored.items():
        print(printable_line(f"Not computed again, scores of {counted(number, 'run')}: {reason}."))
    if checked.not_scored:
        raise typer.Exit(DataUnavailableError.exit_code)
    return submission


def known_verification(submission: Submission) -> Verification | None:
    """The verification in the folder of a submission; a warning on standard error if it cannot be used."""
    from lcbench.submission.verification import read_verification

    try:
        return read_verification(submission)
    except SubmissionError as error:
        say(printable_line(f"lcbench: warning: {error}"))
        return None


def _levels(submission: Submission, verification: Verification | None) -> str:
    from lcbench.submission.verification import Level, levels

    found = levels(submission, verification)
    reached = set(found.values())
    drawn = ""
    if verification is not None and reached != {Level.SCORED}:
        drawn = f", by {len(verification.runs)} of {counted(verification.total, 'run')}"
    if len(reached) == 1:
        return f"{reached.pop()}{drawn}"
    return ", ".join(f"{printable_line(label)} {level}" for label, level in found.items()) + drawn

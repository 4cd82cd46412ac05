from __future__ import annotations

import pytest

from lcbench.errors import SubmissionError
from lcbench.submission.checking import check_submission
from lcbench.submission.drawing import draw
from lcbench.submission.expected import expected_runs
from lcbench.submission.verification import Ending, Level, Verification, VerifiedRun, levels, read_verification


@pytest.fixture
def found(submission):
    return check_submission(submission).submission


def verification(found, nonce="n", sample=4, **outcomes) -> Verification:
    """A verification in which all runs came out the same, or as said for a method."""
    expected = expected_runs(found.suite, found.description.methods)
    runs = [
        VerifiedRun(
            run_id=run_id, method=run.label, stream=run.stream_label, agreement=1.0, seconds=0.1,
            outcome=str(outcomes.get(run.label.replace("-", "_"), Ending.IDENTICAL)),
            labels_digest=(found.runs | found.solos)[run_id].digest,
        )
        for run_id in draw(expected, found.id, nonce, sample)
        for run in [expected[run_id]]
    ]  # fmt: skip
    return Verification(
        submission=found.id, suite="small-1", suite_digest=found.suite.digest, nonce=nonce, sample=sample, total=14,
        when="2026-01-01", lcbench="0.2", platform="here", runs=runs,
    )  # fmt: skip


def written(found, made):
    made.write(found.folder / "verification.toml")
    return read_verification(found)


def test_without_a_verification_every_method_is_scored(found):
    assert read_verification(found) is None
    assert levels(found, None) == dict.fromkeys(("mini-batch-kmeans", "kmeans"), Level.SCORED)


@pytest.mark.parametrize(
    ("outcome", "level"),
    [
        (Ending.IDENTICAL, Level.VERIFIED),
        (Ending.FAILED_AS_WELL, Level.VERIFIED),
        (Ending.AGREES, Level.RERUN),
        (Ending.DIFFERS, Level.SCORED),
        (Ending.FAILED_HERE, Level.SCORED),
        (Ending.FINISHED_HERE, Level.SCORED),
    ],
)
def test_the_level_of_each_method_is_that_of_its_worst_run(found, outcome, level):
    made = verification(found, mini_batch_kmeans=outcome)
    assert written(found, made) == made
    assert levels(found, made) == {"mini-batch-kmeans": level, "kmeans": Level.VERIFIED}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda made: {"submission": "0" * 64}, "it is the verification of another submission"),
        (lambda made: {"nonce": "another"}, "its runs are not those that its nonce draws"),
        (lambda made: {"total": 4}, "its runs are not those that its nonce draws"),
        (lambda made: {"runs": made.runs[:-1]}, "its runs are not those that its nonce draws"),
        (
            lambda made: {"runs": [made.runs[0].model_copy(update={"labels_digest": "x"}), *made.runs[1:]]},
            "does not fit the submission",
        ),
        (
            lambda made: {"runs": [made.runs[0].model_copy(update={"method": "other"}), *made.runs[1:]]},
            "does not fit the submission",
        ),
    ],
)
def test_a_verification_that_does_not_belong_to_the_submission_is_refused(found, change, said):
    made = verification(found)
    with pytest.raises(SubmissionError, match=said):
        written(found, made.model_copy(update=change(made)))


def test_an_outcome_that_there_is_not_is_refused(found):
    verification(found).write(found.folder / "verification.toml")
    file = found.folder / "verification.toml"
    file.write_text(file.read_text().replace('"identical"', '"excellent"'))
    with pytest.raises(SubmissionError, match=r"runs\.1\.outcome must be one of identical, agrees"):
        read_verification(found)

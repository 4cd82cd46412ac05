from __future__ import annotations

from collections import Counter

import pytest
from making import make_record

from lcbench.errors import SubmissionError
from lcbench.submission.expected import expected_runs
from lcbench.submission.verification import Ending, Level, Verification, VerifiedRun, draw, levels, read_verification

WHOLE = [make_record(label, order="abc", repeat=repeat) for label in ("one", "two") for repeat in range(10)]
SOLOS = [run.solo(task) for run in WHOLE if run.label == "one" for task in "abc"]
RUNS = {run.run_id: run for run in (*WHOLE, *SOLOS)}


def test_a_nonce_always_draws_the_same_runs_and_another_nonce_or_submission_others():
    first = draw(RUNS, "s", "nonce", 6)
    assert first == draw(dict(reversed(RUNS.items())), "s", "nonce", 6), "whatever order the runs come in"
    assert set(first) != set(draw(RUNS, "s", "other", 6))
    assert set(first) != set(draw(RUNS, "t", "nonce", 6))
    assert draw(RUNS, "s", "nonce", 9)[:6] == first


def test_every_method_is_drawn_and_runs_over_one_task_do_not_crowd_out_the_others():
    drawn = [RUNS[run_id] for run_id in draw(RUNS, "s", "nonce", 9)]
    assert Counter((run.label, len(run.order)) for run in drawn) == {("one", 3): 3, ("two", 3): 3, ("one", 1): 3}
    assert {RUNS[run_id].label for run_id in draw(RUNS, "s", "nonce", 2)} == {"one", "two"}


def test_each_run_is_drawn_about_as_often_as_the_others_of_its_kind():
    counts = Counter(run_id for nonce in range(600) for run_id in draw(RUNS, "s", str(nonce), 2))
    assert set(counts) == {run.run_id for run in WHOLE}
    assert min(counts.values()) > 30
    assert max(counts.values()) < 100


def test_a_large_sample_is_all_runs_and_one_too_small_for_every_method_is_refused():
    assert set(draw(RUNS, "s", "n", 1000)) == set(RUNS)
    with pytest.raises(SubmissionError, match="draw at least 2 runs, not 1"):
        draw(RUNS, "s", "n", 1)


def verification(checked, nonce="n", sample=4, **outcomes) -> Verification:
    """A verification in which all runs came out the same, or as said for a method."""
    expected = expected_runs(checked.suite, checked.description.methods)
    runs = [
        VerifiedRun(
            run_id=run_id, method=run.label, stream=run.stream_label, agreement=1.0, seconds=0.1,
            outcome=str(outcomes.get(run.label.replace("-", "_"), Ending.IDENTICAL)),
            labels_digest=(checked.runs | checked.solos)[run_id].digest,
        )
        for run_id in draw(expected, checked.id, nonce, sample)
        for run in [expected[run_id]]
    ]  # fmt: skip
    return Verification(
        submission=checked.id, suite="small-1", suite_digest=checked.suite.digest, nonce=nonce, sample=sample, total=14,
        when="2026-01-01", lcbench="0.2", platform="here", runs=runs,
    )  # fmt: skip


def with_first_run(made, **changed):
    return {"runs": [made.runs[0].model_copy(update=changed), *made.runs[1:]]}


def written(checked, made):
    made.write(checked.folder / "verification.toml")
    return read_verification(checked)


def test_without_a_verification_every_method_is_scored(checked):
    assert read_verification(checked) is None
    assert levels(checked, None) == dict.fromkeys(("mini-batch-kmeans", "kmeans"), Level.SCORED)


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
def test_the_level_of_each_method_is_that_of_its_worst_run(checked, outcome, level):
    made = verification(checked, mini_batch_kmeans=outcome)
    assert written(checked, made) == made
    assert levels(checked, made) == {"mini-batch-kmeans": level, "kmeans": Level.VERIFIED}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda made: {"submission": "0" * 64}, "it is the verification of another submission"),
        (lambda made: {"nonce": "another"}, "its runs are not those that its nonce draws"),
        (lambda made: {"total": 4}, "its runs are not those that its nonce draws"),
        (lambda made: {"runs": made.runs[:-1]}, "its runs are not those that its nonce draws"),
        (lambda made: with_first_run(made, labels_digest="x"), "does not fit the submission"),
        (lambda made: with_first_run(made, method="other"), "does not fit the submission"),
    ],
)
def test_a_verification_that_does_not_belong_to_the_submission_is_refused(checked, change, said):
    made = verification(checked)
    with pytest.raises(SubmissionError, match=said):
        written(checked, made.model_copy(update=change(made)))


def test_an_outcome_that_there_is_not_is_refused(checked):
    verification(checked).write(checked.folder / "verification.toml")
    file = checked.folder / "verification.toml"
    file.write_text(file.read_text().replace('"identical"', '"excellent"'))
    with pytest.raises(SubmissionError, match=r"runs\.1\.outcome must be one of identical, agrees"):
        read_verification(checked)

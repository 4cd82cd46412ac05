"""Forgeries that a rerun catches are in scenarios/test_tampering.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from making import make_record
from sklearn.metrics import adjusted_rand_score

from lcbench.errors import SubmissionError
from lcbench.experiment.pipeline import carry_out
from lcbench.records.record import FAILED, OK, TIMEOUT
from lcbench.submission.reruns import compare_runs, prepare_reruns, verification_of
from lcbench.submission.verification import Level

HERE = {"system": "Linux", "machine": "x86_64", "python": "3.11", "packages": {"numpy": "2.1"}, "libraries": []}
THERE = {**HERE, "machine": "arm64"}
LABELS = np.arange(8000) % 4
NEARLY = np.where(np.arange(8000) < 2, 3, LABELS)
OTHER = np.where(np.arange(8000) < 20, 3, LABELS)


def run_with(*last: np.ndarray, status=OK, environment=HERE):
    labels = [{"a": LABELS}, {"a": last[0], "b": LABELS}] if last else []
    made = make_record("m", order="ab", labels=labels, environment=environment, status=status)
    return replace(made, digest=made.labels_digest)


def outcome(submitted, here):
    found = compare_runs(submitted, here)
    return found.outcome, found.passed


def test_the_same_labels_are_identical_wherever_they_were_made():
    assert outcome(run_with(LABELS, environment=THERE), run_with(LABELS)) == ("identical", True)


def test_labels_that_nearly_agree_pass_from_another_platform_only():
    expected = adjusted_rand_score(LABELS, NEARLY)
    assert 0.999 < expected < 1
    found = compare_runs(run_with(NEARLY, environment=THERE), run_with(LABELS))
    assert (found.outcome, found.passed) == ("agrees", True)
    assert found.agreement == pytest.approx(expected)
    assert found.why.startswith("submitted from Linux arm64")
    assert outcome(run_with(NEARLY), run_with(LABELS)) == ("differs", False)


def test_a_processor_with_other_vector_instructions_is_another_platform():
    older, newer = ({**HERE, "simd": name} for name in ("X86_V3", "AVX512_ICL"))
    found = compare_runs(run_with(NEARLY, environment=older), run_with(LABELS, environment=newer))
    assert (found.outcome, found.passed) == ("agrees", True)
    assert "X86_V3" in found.why
    again = compare_runs(run_with(NEARLY, environment=newer), run_with(LABELS, environment=newer))
    assert (again.outcome, again.passed) == ("differs", False)


def test_a_record_that_does_not_name_its_vector_instructions_may_come_from_another_platform():
    found = compare_runs(run_with(NEARLY, environment=HERE), run_with(LABELS, environment={**HERE, "simd": "X86_V3"}))
    assert (found.outcome, found.passed) == ("agrees", True)
    assert "vector instructions unknown" in found.why
    found = compare_runs(run_with(NEARLY, environment={**HERE, "simd": ""}), run_with(LABELS, environment=THERE))
    assert "no vector instructions" in found.why


def test_labels_that_agree_less_are_caught_on_every_platform():
    assert adjusted_rand_score(LABELS, OTHER) < 0.999
    for place in (HERE, THERE):
        assert outcome(run_with(OTHER, environment=place), run_with(LABELS)) == ("differs", False)


def test_labels_of_other_tasks_or_of_another_number_of_samples_are_caught():
    short = replace(run_with(LABELS, environment=THERE), labels=[{"a": LABELS}, {"a": LABELS}], digest="x")
    assert outcome(short, run_with(LABELS)) == ("differs", False)
    assert outcome(run_with(LABELS[:-1], environment=THERE), run_with(LABELS)) == ("differs", False)


def test_runs_that_fail_pass_only_if_they_fail_in_both_places():
    assert outcome(run_with(status=TIMEOUT), run_with(status=FAILED)) == ("failed as well", True)
    assert outcome(run_with(LABELS), run_with(status=FAILED)) == ("failed here", False)
    assert outcome(run_with(status=FAILED), run_with(LABELS)) == ("finished here", False)


def test_what_was_submitted_honestly_is_verified(checked, submission):
    again = carry_out(prepare_reruns(checked, nonce="n", sample=4, jobs=2))
    verification = verification_of(replace(checked, folder=submission), again, nonce="n", sample=4)
    assert [run.outcome for run in verification.runs] == ["identical"] * 4
    assert (verification.total, verification.submission) == (len(checked.runs) + len(checked.solos), checked.id)
    assert verification.level_of("kmeans") == verification.level_of("mini-batch-kmeans") == Level.VERIFIED


@pytest.mark.parametrize(
    ("method", "package", "said"),
    [
        ({"name": "their-method"}, {}, "There is no method 'their-method'"),
        ({"code_sha256": "0" * 64}, {}, "the installed lcbench is not that of the submission"),
        ({}, {"version": "9.9"}, "the installed lcbench is not that of the submission"),
        ({"revision": 7}, {}, "its revision, setting or parameters are others"),
    ],
)
def test_code_that_is_not_that_of_the_submission_is_not_run(checked, method, package, said):
    submitted = checked.description
    changes = {
        "methods": [each.model_copy(update=method) for each in submitted.methods],
        "package": submitted.package.model_copy(update=package),
    }
    with pytest.raises(SubmissionError) as refused:
        prepare_reruns(replace(checked, description=submitted.model_copy(update=changes)), nonce="n", sample=4)
    assert said in str(refused.value)
    assert "install code.whl with SHA-256" in str(refused.value)

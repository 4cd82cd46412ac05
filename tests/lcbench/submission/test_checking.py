"""What a check refuses is in scenarios/test_tampering.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_suite import FILE, registered, write_suite

from lcbench.errors import SubmissionError, UnknownNameError
from lcbench.registry.host import plugin_host
from lcbench.submission.checking import check_submission
from lcbench.submission.folder import DESCRIPTION, write_manifest


def test_the_submission_has_the_runs_of_each_method_and_those_over_one_task(checked):
    for method in checked.description.methods:
        assert sorted(len(run.order) for run in checked.runs_of(method)) == [2, 3, 3]
    assert {run.label for run in checked.solos.values()} == {"mini-batch-kmeans"}
    assert len(checked.solos) == 2 * 3 + 2
    assert checked.failed == []


def test_a_method_that_is_not_installed_can_be_checked(submission, monkeypatch):
    methods = plugin_host().registry.methods
    monkeypatch.setattr(methods, "_specs", {})
    assert check_submission(submission).scored


@pytest.mark.usefixtures("no_data")
def test_without_the_data_a_submission_is_not_scored_and_not_refused(submission):
    checked = check_submission(submission)
    assert (checked.faults, checked.scored) == ([], False)
    assert checked.not_scored == {
        "the data of stream 'digits' are not available": 10,
        "the data of stream 'words' are not available": 4,
    }


def test_a_suite_that_is_not_installed_is_said(submission):
    registry = plugin_host().registry
    registry.suites = registry.suites.without(registry.suites.source("small-1"))
    with pytest.raises(UnknownNameError, match="There is no suite 'small-1'"):
        check_submission(submission)


def test_a_folder_that_is_not_there_is_said():
    with pytest.raises(SubmissionError, match="There is no folder 'gone'"):
        check_submission(Path("gone"))


def test_runs_that_were_not_sealed_are_refused_on_a_suite_that_demands_it(submission, small_suite, tmp_path):
    """As by somebody who lays the runs of one suite before another that differs in this alone."""
    registry = plugin_host().registry
    registry.suites = registry.suites.without(registry.suites.source("small-1"))
    with registered(write_suite(tmp_path, FILE.replace("sealed = false", "sealed = true"))) as demanding:
        text = (submission / DESCRIPTION).read_text()
        assert small_suite.digest in text
        (submission / DESCRIPTION).write_text(text.replace(small_suite.digest, demanding.digest))
        write_manifest(submission)
        faults = check_submission(submission).faults
    assert len(faults) == 14
    assert all(fault.endswith("it was not sealed, which the suite demands") for fault in faults)

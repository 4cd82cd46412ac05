from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from one_file_plugins import METHOD
from small_suite import METHODS, STATEMENTS, make_wheel, runs_in

from lcbench.errors import SubmissionError
from lcbench.experiment.suites import Suite
from lcbench.records.store import RunStore
from lcbench.registry.host import plugin_host
from lcbench.registry.plugin_files import load_plugin_files
from lcbench.submission.checking import check_submission
from lcbench.submission.description import read_description
from lcbench.submission.packing import pack


@pytest.fixture
def packed(small_suite, submission):
    """Packs the runs of the submission anew."""

    def call(*methods, quick=False, folder="again", wheel=None):
        return pack(
            Suite(small_suite.file, quick), methods or METHODS, results=submission / "results", about=STATEMENTS,
            wheel=wheel or make_wheel(Path("code.whl")), folder=Path(folder),
        )  # fmt: skip

    return call


def test_a_submission_says_by_whom_and_with_what_it_was_made(submission):
    found = read_description(submission / "submission.toml", "submission.toml")
    wheel = make_wheel(Path("code.whl"))
    assert found.about == STATEMENTS
    assert (found.package.distribution, found.package.wheel) == ("lcbench", "code.whl")
    assert found.package.wheel_sha256 == hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert [(method.label, method.setting) for method in found.methods] == [
        ("mini-batch-kmeans", "lifelong"),
        ("kmeans", "single-task"),
    ]


def test_runs_are_packed_with_the_metrics_of_the_suite_alone_and_without_commands(submission, small_suite):
    for run in runs_in(submission):
        assert list(run.scores) == ["ari", "nmi"]
        assert (run.command, run.experiments) == ("", (small_suite.tag,))


def test_some_methods_or_the_quick_version_can_be_packed_from_the_same_runs(packed):
    assert packed("kmeans").runs == 3
    quick = packed("mini-batch-kmeans", quick=True, folder="quick")
    assert quick.runs == 1 + 3
    assert check_submission(quick.folder).scored


def test_what_is_packed_twice_is_the_same(packed):
    assert packed("kmeans", folder="one").id == packed("kmeans", folder="two").id


def test_runs_that_are_missing_are_counted_and_nothing_is_left(packed, submission):
    store = RunStore(submission / "results")
    store.remove([run.run_id for run in runs_in(submission) if run.label == "kmeans"][:2])
    with pytest.raises(SubmissionError, match=r"2 runs of 3 of 'kmeans' on suite 'small-1' are not in"):
        packed()
    assert not [path for path in Path().iterdir() if "again" in path.name]


def test_a_folder_that_is_there_is_not_written_to(packed):
    Path("again").mkdir()
    with pytest.raises(SubmissionError, match="'again' is there already"):
        packed()


def test_runs_of_an_edited_method_are_refused(packed, submission):
    store = RunStore(submission / "results")
    run = next(run for run in runs_in(submission) if run.label == "kmeans")
    run.code, run.labels = {**run.code, "sha256": "0" * 64}, store.load_labels(run.run_id)
    store.save(run)
    with pytest.raises(SubmissionError, match=r"The runs of 'kmeans' were not all made by lcbench .* as it is now"):
        packed()


def test_a_wheel_of_other_code_is_refused(packed):
    with pytest.raises(SubmissionError, match="does not hold the code that made the runs"):
        packed(wheel=make_wheel(Path("other.whl"), kmeans="x = 1"))


def test_a_method_of_a_file_cannot_be_submitted(packed, plugin_file):
    load_plugin_files([str(plugin_file("mine", METHOD))])
    with pytest.raises(SubmissionError, match="which nobody else can install"):
        packed("mine")


def test_methods_of_two_distributions_are_packed_one_by_one(packed, monkeypatch):
    methods = plugin_host().registry.methods
    before = methods.source
    other = lambda name: before(name) if name == "kmeans" else type(before(name))("x", "other", "2")  # noqa: E731
    monkeypatch.setattr(methods, "source", other)
    with pytest.raises(SubmissionError, match="A submission has methods of one distribution"):
        packed()

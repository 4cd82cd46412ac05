"""A submission that was tampered with is refused by `check`, or caught by `verify`, each with its reason."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_suite import changed_run, labels_of, runs_in, scored, true_classes

from lcbench.experiment.pipeline import carry_out
from lcbench.records.record import FAILED, RunRecord
from lcbench.records.store import RunStore
from lcbench.submission.checking import check_submission
from lcbench.submission.folder import DESCRIPTION, write_manifest
from lcbench.submission.reruns import prepare_reruns, verification_of
from lcbench.submission.verification import Level, read_verification

KEPT = ("cpu_seconds", "peak_bytes")  # of a run as a whole
OF_NO_NUMBER = "its labels of task 'task-.' are none, or of another number from step to step"


def whole_run(folder: Path, label: str = "mini-batch-kmeans") -> RunRecord:
    """A run over three tasks."""
    return next(run for run in runs_in(folder) if run.label == label)


def file_of(folder: Path, run: RunRecord, kind: str = "runs") -> Path:
    return folder / "results" / kind / f"{run.run_id}{'.json' if kind == 'runs' else '.npz'}"


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def better(run):
    return {metric: [[None if cell is None else 0.99 for cell in row] for row in R] for metric, R in run.scores.items()}


def without_scores(run):
    return {metric: [[None for _ in row] for row in R] for metric, R in run.scores.items()}


def without_the_last_score(run):
    return {metric: [*R[:-1], [*R[-1][:-1], None]] for metric, R in run.scores.items()}


def another_label(run, labels):
    first = labels[-1][run.order[0]]
    return [*labels[:-1], {**labels[-1], run.order[0]: (first + np.arange(len(first)) % 2) % 3}]


def cut(labels, stop):
    return [{task: found[:stop] for task, found in step.items()} for step in labels]


# Fields that a skilled person changes in a run, and why a check refuses it. The first is for the first of `runs_in`,
# and so on: four are over three tasks, two over two, the others over one.

NO_RUN_OF_THE_SUITE = [
    (
        lambda run, labels: {"order": (*run.order[1:], run.order[0]), "labels": [labels[-1]] * 3},
        "its order task-., task-., task-. is none of the suite's",
    ),
    ({"evaluate": "last"}, "it was scored at other steps than the suite says"),
    ({"repeat": 5}, "its order is not that of repeat 5"),
    ({"params": {"batch_size": 7}}, 'its parameters {"batch_size":7} are not those of submission.toml'),
    ({"revision": 9}, "it is of revision 9 of 'kmeans', and submission.toml names another"),
    ({"seed": 7}, "its seed is 7, and that of the suite 3"),
    ({"stream": "webkb4-sim"}, "its stream 'webkb4-sim' is not in the suite"),
    ({"stream_params": {"seed": 1}}, 'the parameters of its stream, {"seed":1}, are not those of the suite'),
    ({"stream_digest": "digits-2"}, "its stream has the digest 'digits-2', not the suite's"),
    ({"threads": 8}, "it had 8 threads, and the suite allows 1"),
    ({"tune": {"protocol": "oracle", "grid": [{"batch_size": 1}]}}, "its parameters were tuned for this stream"),
    ({"method": "l2sc"}, "it is a run of method 'l2sc', which submission.toml does not name"),
]
NOT_AS_THE_SUITE_WANTS = [
    (lambda run, _: {"scores": better(run)}, "ari of task 'task-.' after 1 task is 0.99, and the labels give"),
    (lambda run, _: {"scores": without_scores(run)}, "has no labels or no score after 1 of 3 tasks"),
    (lambda run, labels: {"labels": another_label(run, labels)}, "after 3 tasks is .*, and the labels give"),
    (lambda _, labels: {"labels": [*cut(labels[:1], -3), *labels[1:]]}, OF_NO_NUMBER),
    ({"label": "mini-batch-kmeans"}, "its label is 'mini-batch-kmeans', and should be 'kmeans'"),
    (lambda _, labels: {"labels": labels[::-1]}, "it has no labels of task 'task-.' after learning it"),
    (lambda _, labels: {"labels": cut(labels, 0)}, OF_NO_NUMBER),
    (lambda _, labels: {"labels": cut(labels, -1)}, "and the labels give missing"),
    ({"setting": "multi-task"}, "its setting is 'multi-task', and should be 'lifelong'"),
    (lambda run, _: {"code": {**run.code, "version": "0.1"}}, "the code that it names is not that of submission.toml"),
    ({"isolated": False}, "the method had no process of its own, so that it could reach labels"),
    ({"learn_seconds": [400.0]}, "it took 7 min, and the suite allows 5min"),
    (lambda run, _: {"scores": without_the_last_score(run)}, "'task-.' has no labels or no score after 1 of 1 tasks"),
]


@pytest.mark.parametrize("forgeries", [NO_RUN_OF_THE_SUITE, NOT_AS_THE_SUITE_WANTS])
def test_a_check_refuses_each_forged_run_with_its_reason(submission, forgeries):
    runs = runs_in(submission)
    reasons = {}
    for run, (change, reason) in zip(runs, forgeries, strict=False):
        fields = change(run, labels_of(submission, run)) if callable(change) else change
        reasons[changed_run(submission, run, **fields).run_id] = reason
    assert len(reasons) == len(forgeries)
    faults = check_submission(submission).faults
    for run_id, reason in reasons.items():
        assert any(re.match(rf"run {run_id[:10]}\b.*{reason}", fault) for fault in faults), (reason, faults)


# Each of these changes the folder of a submission, and says why it is refused. With "careless" the digests are left as
# they were.

REFUSED = {}


def refused(reason):
    def mark(tamper):
        REFUSED[tamper] = reason
        return tamper

    return mark


@refused("it was changed: its digest is not that of the manifest")
def a_score_careless(folder):
    edit(file_of(folder, whole_run(folder)), '"scores": {"ari": [[', '"scores": {"ari": [[0.')


@refused("they are not the ones that the run ended with")
def labels_of_another_run(folder):
    run, other = runs_in(folder)[:2]
    shutil.copy(file_of(folder, other, "labels"), file_of(folder, run, "labels"))
    write_manifest(folder)


@refused("it cannot be read: Out of range float values")
def a_machine_of_infinite_cores(folder):
    (file,) = (folder / "results" / "environments").iterdir()
    file.write_text(re.sub(r'"cores": \d+', '"cores": 1e999', file.read_text()))
    write_manifest(folder)


@refused("it is missing, and the manifest lists it")
def a_missing_run_careless(folder):
    file_of(folder, whole_run(folder)).unlink()


@refused("is missing: a run that failed is part of a submission")
def a_removed_failed_run(folder):
    run = whole_run(folder)
    lists = ("seconds", "bytes", "agreement", "largest", "trace")
    empty = {name: [] for name in RunRecord.__dataclass_fields__ if name.endswith(lists) and name not in KEPT}
    failed = replace(run, status=FAILED, error="it failed", digest=None, scores={}, audit={}, **empty)
    for kind in ("runs", "labels"):
        file_of(folder, run, kind).unlink()
    RunStore(folder / "results").save(failed)
    write_manifest(folder)
    checked = check_submission(folder)
    assert checked.faults == []
    assert [each.run_id for each in checked.submission.failed] == [run.run_id]
    file_of(folder, run).unlink()
    write_manifest(folder)


@refused("its order is not that of repeat 0")
def the_order_of_another_repeat(folder):
    first, second = (run for run in runs_in(folder)[:4] if run.label == "mini-batch-kmeans" and len(run.order) == 3)
    changed_run(folder, first, order=second.order, labels=labels_of(folder, second))


@refused("its name is not the id of its run")
def a_run_twice(folder):
    run = whole_run(folder)
    shutil.copy(file_of(folder, run), folder / "results" / "runs" / f"{'0' * 64}.json")
    write_manifest(folder)


@refused("it has labels and no record")
def labels_without_a_run(folder):
    run = whole_run(folder)
    shutil.copy(file_of(folder, run, "labels"), folder / "results" / "labels" / f"{'0' * 64}.npz")
    write_manifest(folder)


@refused("it was changed: its checksum does not fit")
def a_checksum_of_a_record(folder):
    file = file_of(folder, whole_run(folder))
    edit(file, '"checksum": "', '"checksum": "0')
    write_manifest(folder)


@refused("the facts about its machine are missing or damaged")
def a_machine_that_is_gone(folder):
    for file in (folder / "results" / "environments").iterdir():
        file.unlink()
    write_manifest(folder)


@refused("suite_digest is not that of suite 'small-1' here")
def the_suite(folder):
    text = (folder / DESCRIPTION).read_text()
    (folder / DESCRIPTION).write_text(re.sub('suite_digest = "[0-9a-f]{4}', 'suite_digest = "0000', text))
    write_manifest(folder)


@refused("submission.toml: it was changed: its digest is not that of the manifest")
def an_edited_statement(folder):
    edit(folder / DESCRIPTION, "Nobody looked.", "We looked at none.")


@refused("it lists '../../outside.json', which no submission holds")
def a_manifest_that_leads_out(folder):
    content = json.loads((folder / "manifest.json").read_text())
    content["files"]["../../outside.json"] = "0" * 64
    (folder / "manifest.json").write_text(json.dumps(content))


@refused("it is a link; a submission has none")
def a_link_out_of_the_folder(folder):
    file = file_of(folder, whole_run(folder))
    outside = file.rename(folder.parent / "outside.json")
    file.symlink_to(outside)


@refused("results: it is a link; a submission has none")
def a_linked_folder(folder):
    outside = (folder / "results").rename(folder.parent / "elsewhere")
    (folder / "results").symlink_to(outside, target_is_directory=True)


@refused("results/setup.py: no submission holds such a file")
def a_file_more(folder):
    (folder / "results" / "setup.py").write_text("print('run me')")


@refused("it has 314.6 MB, and 268.4 MB are allowed")
def a_huge_file(folder):
    with file_of(folder, whole_run(folder), "labels").open("r+b") as file:
        file.truncate(300 * 1024**2)


@refused("its labels hold 'step-1-task-1.npy', which is no list of labels")
def labels_that_claim_to_be_long(folder):
    header = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999,), }"
    with zipfile.ZipFile(file_of(folder, whole_run(folder), "labels"), "w") as archive:
        archive.writestr("step-1-task-1.npy", header.ljust(127) + b"\n" + bytes(80))
    write_manifest(folder)


class Executed:
    """Leaves a file behind when it is unpickled."""

    def __reduce__(self):
        return Path.touch, (Path("executed"),)


@refused("its labels hold 'step-1-task-1.npy', which is no list of labels")
def labels_that_are_a_pickle(folder):
    np.savez(file_of(folder, whole_run(folder), "labels"), **{"step-1-task-1": np.array([Executed()], dtype=object)})
    write_manifest(folder)


@refused("it is no JSON")
def a_record_that_is_a_pickle(folder):
    file_of(folder, whole_run(folder)).write_bytes(pickle.dumps(Executed()))
    write_manifest(folder)


@pytest.mark.parametrize("tamper", REFUSED, ids=lambda tamper: tamper.__name__)
def test_a_check_refuses_a_submission_that_was_tampered_with(submission, tamper):
    tamper(submission)
    faults = check_submission(submission).faults
    assert any(re.search(REFUSED[tamper], fault) for fault in faults), faults
    assert not Path("executed").exists()


def test_a_check_passes_what_was_packed_and_computes_every_score_again(submission):
    checked = check_submission(submission)
    assert (checked.faults, checked.scored) == ([], True)
    cells = [cell for run in runs_in(submission) for R in run.scores.values() for row in R for cell in row]
    assert checked.scores == sum(cell is not None for cell in cells)


def labels_copied_from_the_classes(folder):
    """Perfect scores: nothing in the files shows that no method made these labels."""
    for run in runs_in(folder):
        if run.label == "mini-batch-kmeans" and len(run.order) == 3:
            changed_run(folder, run, **scored(run, true_classes(run)))


def records_of_another_method_renamed(folder):
    """The runs of mini-batch-kmeans become runs of `random`, a method that nobody ran."""
    for run in runs_in(folder):
        if run.label == "mini-batch-kmeans":
            changed_run(folder, run, method="random", label="random", params={}, setting="single-task")
    text = (folder / DESCRIPTION).read_text()
    start = text.index('label = "mini-batch-kmeans"')
    end = text.index("code_sha256", start)
    named = 'label = "random"\nname = "random"\nrevision = 1\nsetting = "single-task"\nparams = "{}"\n'
    (folder / DESCRIPTION).write_text(text[:start] + named + text[end:])
    for run in runs_in(folder):
        if len(run.order) == 1:  # which a single-task method does not have
            for kind in ("runs", "labels"):
                file_of(folder, run, kind).unlink()
    write_manifest(folder)


@pytest.mark.parametrize("forge", [labels_copied_from_the_classes, records_of_another_method_renamed])
def test_a_rerun_catches_a_forgery_that_no_check_can_see(submission, forge):
    forge(submission)
    checked = check_submission(submission)
    assert checked.faults == [], "this forgery is one that a check cannot see"
    drawn = {"nonce": "7", "sample": 6}  # with two or more runs of each kind of each method: not all are honest
    again = carry_out(prepare_reruns(checked.submission, **drawn, jobs=2))
    verification = verification_of(checked.submission, again, **drawn)
    forged = {run.method for run in verification.runs if not run.passed}
    assert len(forged) == 1
    caught = [run for run in verification.runs if not run.passed]
    assert {run.outcome for run in caught} == {"differs"}
    assert {run.why for run in caught} == {"these are not the labels that the method gives here"}
    assert {label: verification.level_of(label) for label in ("kmeans", *forged)} == {
        "kmeans": Level.VERIFIED,
        **dict.fromkeys(forged, Level.SCORED),
    }
    verification.write(submission / "verification.toml")
    assert read_verification(checked.submission) == verification

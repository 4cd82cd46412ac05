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
from small_suite import changed_run, runs_in

from lcbench.experiment.pipeline import carry_out
from lcbench.experiment.resolving import configured_streams
from lcbench.records.record import FAILED, RunRecord
from lcbench.records.scoring import agreement_matrix, largest_shares
from lcbench.records.store import RunStore
from lcbench.registry.names import format_entry
from lcbench.submission.checking import check_submission
from lcbench.submission.folder import DESCRIPTION, write_manifest
from lcbench.submission.verification import Level, read_verification
from lcbench.submission.verifying import prepare_reruns, verification_of

KEPT = ("cpu_seconds", "peak_bytes")  # of a run as a whole


def whole_run(folder: Path, label: str = "mini-batch-kmeans") -> RunRecord:
    """A run over three tasks."""
    return next(run for run in runs_in(folder) if run.label == label)


def file_of(folder: Path, run: RunRecord, kind: str = "runs") -> Path:
    return folder / "results" / kind / f"{run.run_id}{'.json' if kind == 'runs' else '.npz'}"


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def labels_of(folder: Path, run: RunRecord) -> list[dict[str, np.ndarray]]:
    return RunStore(folder / "results").load_labels(run.run_id)


def scored(run: RunRecord, labels: list[dict[str, np.ndarray]]) -> dict:
    """All that a run says of its labels, computed honestly."""
    from lcbench.experiment.rescoring import Rescoring

    with Rescoring() as rescoring:
        tasks = rescoring._tasks(run)
        scorers = rescoring._scorers_of(list(run.scores), 1)
        rows = scorers.rows(tasks, run.order, labels)
    return {
        "labels": labels,
        "scores": {metric: [row[metric] for row in rows] for metric in run.scores},
        "agreement": agreement_matrix(run.order, labels),
        "largest": largest_shares(run.order, labels[-1]),
    }


def true_classes(run: RunRecord) -> list[dict[str, np.ndarray]]:
    (stream,) = configured_streams([format_entry(run.stream, run.stream_params)])
    classes = {labelled.name: labelled.y for labelled in stream.tasks()}
    return [{task: classes[task] for task in run.order[: i + 1]} for i in range(len(run.order))]


def better(scores):
    return {metric: [[None if cell is None else 0.99 for cell in row] for row in R] for metric, R in scores.items()}


# Each of these changes the folder of a submission. With "careless" the digests are left as they were.


def a_score_careless(folder):
    edit(file_of(folder, whole_run(folder)), '"scores": {"ari": [[', '"scores": {"ari": [[0.')


def a_score(folder):
    run = whole_run(folder)
    changed_run(folder, run, scores=better(run.scores))


def a_missing_score(folder):
    run = whole_run(folder)
    scores = {metric: [[None for _ in row] for row in R] for metric, R in run.scores.items()}
    changed_run(folder, run, scores=scores)


def a_label_careless(folder):
    run, other = runs_in(folder)[:2]
    shutil.copy(file_of(folder, other, "labels"), file_of(folder, run, "labels"))


def labels_of_another_run(folder):
    a_label_careless(folder)
    write_manifest(folder)


def a_label(folder):
    run = whole_run(folder)
    labels = [dict(step) for step in labels_of(folder, run)]
    labels[-1][run.order[0]] = (labels[-1][run.order[0]] + np.arange(24) % 2) % 3
    changed_run(folder, run, labels=labels)


def too_few_labels(folder):
    run = whole_run(folder)
    labels = [{task: found[:-1] for task, found in step.items()} for step in labels_of(folder, run)]
    changed_run(folder, run, labels=labels)


def labels_of_tasks_not_yet_learned(folder):
    run = whole_run(folder)
    changed_run(folder, run, labels=[dict(step) for step in reversed(labels_of(folder, run))])


def labels_of_changing_length(folder):
    run = whole_run(folder)
    first, *rest = labels_of(folder, run)
    changed_run(folder, run, labels=[{run.order[0]: first[run.order[0]][:-3]}, *rest])


def no_label_at_all(folder):
    run = whole_run(folder)
    labels = [{task: found[:0] for task, found in step.items()} for step in labels_of(folder, run)]
    changed_run(folder, run, labels=labels)


def a_machine_of_infinite_cores(folder):
    (file,) = (folder / "results" / "environments").iterdir()
    file.write_text(re.sub(r'"cores": \d+', '"cores": 1e999', file.read_text()))
    write_manifest(folder)


def a_parameter(folder):
    run = whole_run(folder)
    changed_run(folder, run, params={**run.params, "batch_size": 7})


def a_revision(folder):
    changed_run(folder, whole_run(folder), revision=9)


def a_missing_run(folder):
    run = whole_run(folder)
    for kind in ("runs", "labels"):
        file_of(folder, run, kind).unlink()
    write_manifest(folder)


def a_missing_run_careless(folder):
    file_of(folder, whole_run(folder)).unlink()


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


def another_seed(folder):
    changed_run(folder, whole_run(folder), seed=7)


def another_stream(folder):
    changed_run(folder, whole_run(folder), stream="webkb4-sim")


def another_part_of_the_stream(folder):
    run = whole_run(folder)
    changed_run(folder, run, stream_params={**run.stream_params, "seed": 1})


def another_digest(folder):
    changed_run(folder, whole_run(folder), stream_digest="digits-2")


def another_order(folder):
    run = whole_run(folder)
    changed_run(folder, run, order=(*run.order[1:], run.order[0]), **scored_in_vain(run))


def scored_in_vain(run):
    return {"labels": [{task: np.zeros(24, int) for task in run.order} for _ in run.order]}


def the_order_of_another_repeat(folder):
    first, second = (run for run in runs_in(folder)[:4] if run.label == "mini-batch-kmeans" and len(run.order) == 3)
    changed_run(folder, first, order=second.order, labels=labels_of(folder, second))


def more_threads(folder):
    changed_run(folder, whole_run(folder), threads=8)


def fewer_scorings(folder):
    changed_run(folder, whole_run(folder), evaluate="last")


def tuned_parameters(folder):
    changed_run(folder, whole_run(folder), tune={"protocol": "oracle", "grid": [{"batch_size": 1}]})


def an_extra_run(folder):
    run = whole_run(folder)
    labels = labels_of(folder, run)
    RunStore(folder / "results").save(replace(run, repeat=5, labels=labels))
    write_manifest(folder)


def a_run_twice(folder):
    run = whole_run(folder)
    shutil.copy(file_of(folder, run), folder / "results" / "runs" / f"{'0' * 64}.json")
    write_manifest(folder)


def labels_without_a_run(folder):
    run = whole_run(folder)
    shutil.copy(file_of(folder, run, "labels"), folder / "results" / "labels" / f"{'0' * 64}.npz")
    write_manifest(folder)


def another_method_by_its_label(folder):
    run = whole_run(folder, "kmeans")
    changed_run(folder, run, label="mini-batch-kmeans")


def a_method_that_is_not_named(folder):
    changed_run(folder, whole_run(folder), method="l2sc")


def another_setting(folder):
    changed_run(folder, whole_run(folder), setting="multi-task")


def code_of_another_version(folder):
    run = whole_run(folder)
    changed_run(folder, run, code={**run.code, "version": "0.1"})


def no_process_of_its_own(folder):
    changed_run(folder, whole_run(folder), isolated=False)


def more_time_than_allowed(folder):
    changed_run(folder, whole_run(folder), learn_seconds=[400.0, 1.0, 1.0])


def a_checksum_of_a_record(folder):
    file = file_of(folder, whole_run(folder))
    edit(file, '"checksum": "', '"checksum": "0')
    write_manifest(folder)


def a_machine_that_is_gone(folder):
    for file in (folder / "results" / "environments").iterdir():
        file.unlink()
    write_manifest(folder)


def the_suite(folder):
    text = (folder / DESCRIPTION).read_text()
    (folder / DESCRIPTION).write_text(re.sub('suite_digest = "[0-9a-f]{4}', 'suite_digest = "0000', text))
    write_manifest(folder)


def an_edited_statement(folder):
    edit(folder / DESCRIPTION, "Nobody looked.", "We looked at none.")


def a_manifest_that_leads_out(folder):
    content = json.loads((folder / "manifest.json").read_text())
    content["files"]["../../outside.json"] = "0" * 64
    (folder / "manifest.json").write_text(json.dumps(content))


def a_manifest_of_something_else(folder):
    (folder / "manifest.json").write_text('["files"]')


def a_link_out_of_the_folder(folder):
    file = file_of(folder, whole_run(folder))
    outside = file.rename(folder.parent / "outside.json")
    file.symlink_to(outside)


def a_linked_folder(folder):
    outside = (folder / "results").rename(folder.parent / "elsewhere")
    (folder / "results").symlink_to(outside, target_is_directory=True)


def a_file_more(folder):
    (folder / "results" / "setup.py").write_text("print('run me')")


def a_huge_file(folder):
    with file_of(folder, whole_run(folder), "labels").open("r+b") as file:
        file.truncate(300 * 1024**2)


def labels_that_claim_to_be_long(folder):
    header = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999,), }"
    with zipfile.ZipFile(file_of(folder, whole_run(folder), "labels"), "w") as archive:
        archive.writestr("step-1-task-1.npy", header.ljust(127) + b"\n" + bytes(80))
    write_manifest(folder)


class Executed:
    """Leaves a file behind when it is unpickled."""

    def __reduce__(self):
        return Path.touch, (Path("executed"),)


def labels_that_are_a_pickle(folder):
    np.savez(file_of(folder, whole_run(folder), "labels"), **{"step-1-task-1": np.array([Executed()], dtype=object)})
    write_manifest(folder)


def a_record_that_is_a_pickle(folder):
    file_of(folder, whole_run(folder)).write_bytes(pickle.dumps(Executed()))
    write_manifest(folder)


REFUSED = {
    a_score_careless: "it was changed: its digest is not that of the manifest",
    a_score: "ari of task 'task-.' after 1 task is 0.99, and the labels give",
    a_missing_score: "has no labels or no score after 1 of 3 tasks",
    a_label_careless: "it was changed: its digest is not that of the manifest",
    labels_of_another_run: "they are not the ones that the run ended with",
    a_label: "after 3 tasks is .*, and the labels give",
    too_few_labels: "and the labels give missing",
    labels_of_tasks_not_yet_learned: "it has no labels of task 'task-.' after learning it",
    labels_of_changing_length: "its labels of task 'task-.' are none, or of another number from step to step",
    no_label_at_all: "its labels of task 'task-.' are none, or of another number from step to step",
    a_machine_of_infinite_cores: "it cannot be read: Out of range float values",
    a_parameter: "its parameters .*\"batch_size\":7.* are not those of submission.toml",
    a_revision: "it is of revision 9 of 'mini-batch-kmeans', and submission.toml names another",
    a_missing_run: "is missing: a run that failed is part of a submission",
    a_missing_run_careless: "it is missing, and the manifest lists it",
    a_removed_failed_run: "is missing: a run that failed is part of a submission",
    another_seed: "its seed is 7, and that of the suite 3",
    another_stream: "its stream 'webkb4-sim' is not in the suite",
    another_part_of_the_stream: "the parameters of its stream, .*, are not those of the suite",
    another_digest: "its stream has the digest 'digits-2', not the suite's",
    another_order: "its order task-., task-., task-. is none of the suite's",
    the_order_of_another_repeat: "its order is not that of repeat 0",
    more_threads: "it had 8 threads, and the suite allows 1",
    fewer_scorings: "it was scored at other steps than the suite says",
    tuned_parameters: "its parameters were tuned for this stream",
    an_extra_run: "its order is not that of repeat 5",
    a_run_twice: "its name is not the id of its run",
    labels_without_a_run: "it has labels and no record",
    another_method_by_its_label: "its label is 'mini-batch-kmeans', and should be 'kmeans'",
    a_method_that_is_not_named: "it is a run of method 'l2sc', which submission.toml does not name",
    another_setting: "its setting is 'multi-task', and should be 'lifelong'",
    code_of_another_version: "the code that it names is not that of submission.toml",
    no_process_of_its_own: "the method had no process of its own, so that it could reach labels",
    more_time_than_allowed: "it took 7 min, and the suite allows 5min",
    a_checksum_of_a_record: "it was changed: its checksum does not fit",
    a_machine_that_is_gone: "the facts about its machine are missing or damaged",
    the_suite: "suite_digest is not that of suite 'small-1' here",
    an_edited_statement: "submission.toml: it was changed: its digest is not that of the manifest",
    a_manifest_that_leads_out: "it lists '../../outside.json', which no submission holds",
    a_manifest_of_something_else: "it is no manifest",
    a_link_out_of_the_folder: "it is a link; a submission has none",
    a_linked_folder: "results: it is a link; a submission has none",
    a_file_more: "results/setup.py: no submission holds such a file",
    a_huge_file: "it has 314.6 MB, and 268.4 MB are allowed",
    labels_that_claim_to_be_long: "its labels hold 'step-1-task-1.npy', which is no list of labels",
    labels_that_are_a_pickle: "its labels hold 'step-1-task-1.npy', which is no list of labels",
    a_record_that_is_a_pickle: "it is no JSON",
}  # fmt: skip


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


def run_again(folder, nonce="7", sample=50):
    checked = check_submission(folder)
    assert checked.faults == [], "this forgery is one that a check cannot see"
    drawn = {"nonce": nonce, "sample": sample}
    again = carry_out(prepare_reruns(checked.submission, **drawn, jobs=2))
    return checked.submission, verification_of(checked.submission, again, nonce=nonce, sample=len(again))


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
    found, verification = run_again(submission)
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
    assert read_verification(found) == verification

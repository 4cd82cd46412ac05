"""`lcbench results check` names every file and score that is not what a run left, and says what it could not check."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from edited_records import edit, write_older
from making import make_record, make_results

import lcbench
from lcbench.records.store import RunStore

STREAM = "digits:tasks=2,per_class=5"
HINT = (
    "A run with a damaged record is left out of tables, and 'lcbench run' makes it again; for another fault say "
    "'lcbench results remove ID' first."
)


@pytest.fixture
def made(command):
    """Two finished runs on real data, in the default folder."""
    runs = lcbench.run(["random", "kmeans"], STREAM, out="lcbench-results", executor=lcbench.InProcess())
    return {run.label: run for run in runs}


def file_of(run):
    return RunStore("lcbench-results").run_file(run.run_id)


def forge(run, metric, row, column, score):
    """Change a score as somebody would who knows of checksums: in a record of an older lcbench there is none."""
    scores = json.loads(file_of(run).read_text())["scores"]
    scores[metric][row][column] = score
    write_older(file_of(run), scores=scores)


def test_runs_as_they_were_written_are_counted(command, made):
    called = command("results", "check")
    assert (called.code, called.err, called.out) == (0, "", "2 runs in 'lcbench-results': 2 as written.\n")
    called = command("results", "check", "--rescore")
    assert (called.code, called.err) == (0, "")
    cells = sum(cell is not None for run in made.values() for R in run.scores.values() for row in R for cell in row)
    assert called.lines == [
        "2 runs in 'lcbench-results': 2 as written.",
        f"{cells} scores computed again from the labels.",
    ]


def test_damaged_records_are_named_with_the_reason_and_left_where_they_are(command, made):
    edit(file_of(made["random"]), label="better")
    file_of(made["kmeans"]).write_text("")
    called = command("results", "check")
    reasons = {"random": "it was changed: its checksum does not fit", "kmeans": "it is empty"}
    said = [f"{made[label].run_id[:10]}: record damaged: {reason}" for label, reason in reasons.items()]
    assert (called.code, called.err) == (1, "")
    assert called.lines == [*sorted(said), "2 runs in 'lcbench-results': 2 with faults.", HINT]
    assert all(file_of(run).exists() for run in made.values())


def test_an_edit_that_leaves_time_and_size_of_a_file_is_found(command, made):
    import os

    file = file_of(made["random"])
    command("results", "list")
    stat = file.stat()
    file.write_bytes(file.read_bytes().replace(b'"random"', b'"rondom"', 1))
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert file.stat().st_size == stat.st_size
    assert command("results", "check").code == 1


@pytest.mark.parametrize("fate", ["missing", "damaged", "environment"])
def test_labels_and_environments_that_are_gone_or_edited_are_named(command, made, fate):
    store, run_id = RunStore("lcbench-results"), made["random"].run_id
    if fate == "environment":
        (file,) = Path("lcbench-results", "environments").iterdir()
        file.write_text("{}")
    elif fate == "missing":
        store.labels_file(run_id).unlink()
    else:
        arrays = dict(np.load(store.labels_file(run_id)))
        np.savez(store.labels_file(run_id), **{name: labels[::-1] for name, labels in arrays.items()})
    called = command("results", "check")
    assert called.code == 1
    assert re.match(
        rf"{run_id[:10]} \(random on digits\S+\): .*{'damaged' if fate == 'environment' else fate}", called.out
    )


def test_a_score_that_the_labels_do_not_give_is_named_also_where_no_checksum_protects_it(command, made):
    run = made["random"]
    right = run.scores["nmi"][1][0]
    forge(run, "nmi", 1, 0, 0.99)
    assert command("results", "check").code == 0
    called = command("results", "check", "--rescore")
    assert called.code == 1
    assert called.lines[0] == (
        f"{run.run_id[:10]} (random on {STREAM}): nmi of task 'task-1' after 2 tasks is 0.99, and the labels give "
        f"{right:.12g}"
    )
    assert called.lines[1] == "2 runs in 'lcbench-results': 1 with faults, 1 as written."


def test_rounding_is_no_difference(command, made):
    run = made["random"]
    forge(run, "nmi", 1, 0, run.scores["nmi"][1][0] + 1e-10)
    assert command("results", "check", "--rescore").code == 0


def test_runs_of_an_older_lcbench_are_unverified_and_can_be_scored_again(command, made):
    write_older(file_of(made["random"]), without=("agreement", "largest"))
    called = command("results", "check", "--rescore")
    assert called.code == 0
    assert "1 unverified (an older lcbench wrote them, without a checksum)" in called.out


def test_what_cannot_be_scored_again_is_said_with_the_exit_code_of_missing_data(command, made, blob_stream):
    lcbench.run("random", blob_stream, out="lcbench-results", executor=lcbench.InProcess())
    write_older(file_of(made["kmeans"]), scores={**made["kmeans"].scores, "gone": made["kmeans"].scores["nmi"]})
    called = command("results", "check", "--rescore")
    assert (called.code, called.err) == (3, "")
    assert called.lines[-2:] == sorted(
        [
            "Not computed again, scores of 1 run: gone is not installed here.",
            "Not computed again, scores of 1 run: stream 'blobs' is not known here.",
        ],
        key=called.lines.index,
    )


def test_a_file_of_a_later_lcbench_is_counted_and_not_read(command):
    run = make_record()
    file = make_results(run).run_file(run.run_id)
    file.write_text(json.dumps({"schema": 99}))
    called = command("results", "check")
    assert (called.code, called.out) == (0, "1 run in 'lcbench-results': 1 of a later lcbench, not read.\n")


def test_a_folder_without_runs_has_none_and_one_that_is_not_there_is_refused(command, refused, tmp_path):
    assert command("results", "check", "--results", str(tmp_path)).out == f"0 runs in '{tmp_path}'.\n"
    assert "There is no folder 'nowhere'" in refused("results", "check", "--results", "nowhere")

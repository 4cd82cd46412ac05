"""No run can harm another: each attack of the hostile plugin runs beside stsc, kmeans and random.

A sample of them runs with all other tests; `python tests/hostile.py` runs every attack, each with one and with two runs
at a time.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from attacks import ATTACKS, ENDS, HOLES, Ending
from hostile_runs import NEIGHBOURS, Outcome, carry_out, write_stream, write_wanted

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="runs have supervisors on Linux only")
STEERING = set(map(chr, (*range(9), *range(11, 32), *range(127, 160))))
CASES = [(name, jobs) for name in ATTACKS for jobs in (1, 2)]
METRICS = {
    "score-raises": "Metric 'score-raises' failed on task 'task-1'",
    "score-raises-base-exception": "Metric 'score-raises-base-exception' of plugin 'hostile'",
    "score-exits": "Metric 'score-exits' of plugin 'hostile'",
    "score-calls-exit": "Metric 'score-calls-exit' of plugin 'hostile'",
    "score-segfaults": "Metric 'score-segfaults' of plugin 'hostile'",
    "score-hangs": "Metric 'score-hangs' of plugin 'hostile'",
    "score-patches": "",
    "score-nan": "",
    "score-infinite": "",
    "score-text": "Metric 'score-text' failed on task 'task-1'",
    "score-thousand": "",
    "score-forges-huge": "Metric 'score-forges-huge' of plugin 'hostile'",
    "score-forges-others": "Metric 'score-forges-others' of plugin 'hostile'",
    "score-stops-supervisor": "Metric 'score-stops-supervisor' of plugin 'hostile'",
}
LISTENERS = ("rewrites", "raises", "exits", "raises_base", "textless")


def marked(cases):
    """Cases of pytest; those that lcbench does not withstand yet must fail."""
    for case in cases:
        name = case[0] if isinstance(case, tuple) else case
        marks = [pytest.mark.xfail(strict=False, reason=HOLES[name])] if name in HOLES else []
        yield pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks)


@pytest.fixture(scope="module")
def stream(tmp_path_factory) -> Path:
    return write_stream(tmp_path_factory.mktemp("hostile") / "stream")


@pytest.fixture(scope="module")
def clean(stream, tmp_path_factory) -> Outcome:
    """The neighbours, with nobody hostile beside them."""
    words = [word for name in NEIGHBOURS for word in ("-m", name)]
    found = carry_out(tmp_path_factory.mktemp("clean"), *words, "-s", str(stream), "--no-baseline")
    assert found.code == 0
    return found


def attacked(folder: Path, stream: Path, methods, *words: str, before: str = "", **variables: str) -> Outcome:
    write_wanted(stream, folder / "wanted")
    (folder / "precious").mkdir()
    (folder / "precious" / "file").write_text("mine")
    named = [word for name in methods for word in ("-m", name)]
    return carry_out(
        folder, *named, "-s", str(stream), "--no-baseline", *words, before=before, HOSTILE_STREAM=str(stream),
        HOSTILE_WANTED=str(folder / "wanted"), HOSTILE_CANARY=str(folder / "canary"),
        HOSTILE_PRECIOUS=str(folder / "precious"), **variables,
    )  # fmt: skip


def check_neighbours(found: Outcome, clean: Outcome) -> None:
    """The neighbours have the labels and scores of the clean run, and nothing is left of anybody."""
    assert found.code is not None, "the command hangs"
    for name in NEIGHBOURS:
        ours, theirs = found.records[name], clean.records[name]
        assert (ours["status"], ours["labels_digest"]) == ("ok", theirs["labels_digest"])
        assert {key: ours["scores"][key] for key in theirs["scores"]} == theirs["scores"]
    assert not set(found.output + found.errors) & STEERING
    assert "this should not happen" not in found.errors
    assert "Traceback" not in found.errors
    assert found.outlived == []
    assert found.left == []


def check_attacks(names: Sequence[str], jobs: int, folder: Path, stream: Path, clean: Outcome) -> None:
    expected = [ENDS.get(name, Ending()) for name in names]
    methods = (*names, *NEIGHBOURS) if jobs == 1 else (NEIGHBOURS[0], *names, *NEIGHBOURS[1:])
    found = attacked(folder, stream, methods, "--jobs", str(jobs), *expected[0].words)
    check_neighbours(found, clean)
    for name, end in zip(names, expected, strict=True):
        record = found.records[name]
        assert record["status"] == end.status, name
        assert end.says in (record["error"] or ""), name
        assert record["processes_left"] == end.left, name
    assert (folder / "precious" / "file").read_text() == "mine"
    assert ("Promise broken" in found.output) == any(end.caught for end in expected)
    assert found.code == (0 if all(end.status == "ok" and not end.caught for end in expected) else 1)
    if "works-off-clock" in names:
        assert "it works outside its clock" in found.errors
    if any(name.startswith("writes-pickle") for name in names):
        assert not (folder / "canary").exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_attacks_beside_each_other_harm_nobody_else(jobs, tmp_path, stream, clean):
    """Those of the sample that need no limits, in one command; the others, and holes, are left to the next test."""
    sample = [name for name, at_a_time in random.Random(2).sample(CASES, 6) if at_a_time == jobs and name not in HOLES]
    assert [ENDS.get(name, Ending()).words for name in sample] == [()] * 3
    check_attacks(sample, jobs, tmp_path, stream, clean)


@pytest.mark.attacks
@pytest.mark.parametrize(("name", "jobs"), list(marked(CASES)))
def test_no_attack_harms_anybody_else(name, jobs, tmp_path, stream, clean):
    check_attacks([name], jobs, tmp_path, stream, clean)


@pytest.mark.attacks
@pytest.mark.parametrize("name", list(marked(METRICS)))
def test_no_metric_changes_the_scores_of_others(name, tmp_path, stream, clean):
    before = (
        "import lcbench.running.scorers as scorers; scorers.SECONDS_TO_SCORE = 1.0" if name == "score-hangs" else ""
    )
    found = attacked(tmp_path, stream, NEIGHBOURS, "--metric", "purity", "--metric", name, before=before)
    check_neighbours(found, clean)
    assert METRICS[name] in found.errors


@pytest.mark.attacks
@pytest.mark.parametrize("name", list(marked(LISTENERS)))
def test_no_listener_changes_what_is_stored(name, tmp_path, stream, clean):
    found = attacked(tmp_path, stream, NEIGHBOURS, HOSTILE_LISTENER=name)
    check_neighbours(found, clean)
    said = "plugin 'hostile' of distribution 'lcbench_hostile' failed in lcbench_run_started"
    assert name == "rewrites" or said in found.errors


@pytest.mark.slow
def test_the_classes_are_nowhere_in_the_memory_and_files_of_a_method(tmp_path, stream):
    """The same search finds the data, which are there; so it would find classes."""
    found = attacked(tmp_path, stream, ("searches-memory",)).found()
    assert found == [{"task": "task-2", "memory": ["task-1 X", "task-2 X"], "files": ["task-2 X"]}]


@pytest.mark.slow
def test_a_run_can_leave_no_message_for_its_own_replays_in_the_files_of_its_tasks(tmp_path, stream):
    found = attacked(tmp_path, stream, ("tells-itself",), "--audit", "isolate", "--audit", "poison")
    audit = found.records["tells-itself"]["audit"]
    assert [audit[mode]["passed"] for mode in ("isolate", "poison")] == [True, True]


@pytest.mark.attacks
def test_supervisor_and_server_hold_no_classes(tmp_path, stream):
    found = attacked(tmp_path, stream, ("searches-supervisor-and-server",)).found()
    assert found == [{"processes": 2, "above": []}]


@pytest.mark.attacks
@pytest.mark.parametrize("name", ["searches-objects", "walks-frames"])
def test_a_thief_in_its_own_process_scores_as_chance_does(name, tmp_path, stream):
    found = attacked(tmp_path, stream, (name,))
    assert found.records[name]["scores"]["purity"][1][1] < 0.6

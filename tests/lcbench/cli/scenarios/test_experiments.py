"""Whole experiments: resuming, grids, tuning, audits asked for later, damaged files, what is published."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from edited_records import edit

from lcbench.running.planned_run import ConfiguredStream

SMALL = ("-s", "digits:tasks=2", "--metric", "ri")
ONE = ("run", "-m", "one-cluster", *SMALL)
TWO = (*ONE, "-m", "random")
FAILING = ("run", "-m", "l2sc:k=500", "-m", "one-cluster", "--no-baseline", "--no-solo", *SMALL)
GRID = ("--grid", "kmeans.n_init=1,2")
TUNED = ("run", "-m", "kmeans", "-m", "one-cluster", *SMALL, *GRID, "--tune", "oracle")


def made(called) -> list[str]:
    """The runs that progress says were made, by their labels."""
    return re.findall(r"^\[\d+/\d+\] [^ ]+: (.*): (?:done|failed), ", called.err, re.MULTILINE)


def stored(folder: str | Path = "lcbench-results") -> dict[str, dict]:
    """The run files by label, and by repeat where there are several."""
    runs = [json.loads(path.read_text()) for path in sorted(Path(folder, "runs").iterdir())]
    return {run["label"] if run["repeat"] == 0 else f"{run['label']} {run['repeat']}": run for run in runs}


def test_a_finished_run_is_shown_again_and_only_missing_ones_are_run(command, monkeypatch):
    first = command(*ONE)
    assert made(first) == ["one-cluster"]
    before = stored()
    with monkeypatch.context() as patch:
        patch.setattr(ConfiguredStream, "tasks", lambda _: pytest.fail("data were loaded"))
        again = command(*ONE)
    assert (again.code, again.out, made(again)) == (0, first.out, [])
    assert stored() == before
    called = command(*TWO)
    assert made(called) == ["random"]
    assert "2 runs: 1 done already, 1 to do\n" in called.err
    assert "2 runs in lcbench-results: 'lcbench compare' has tables, " in called.err


def test_fresh_runs_everything_again(command):
    command(*TWO)
    before = stored()
    assert made(command(*TWO, "--fresh")) == ["one-cluster", "random"]
    assert all(run["finished"] > before[label]["finished"] for label, run in stored().items())


def test_a_failed_run_is_kept_and_run_again_only_with_retry_failed(command):
    first = command(*FAILING)
    assert (first.code, made(first)) == (1, ["l2sc:k=500", "one-cluster"])
    failed = stored()["l2sc:k=500"]
    assert failed["status"] == "failed"
    again = command(*FAILING)
    assert (again.code, made(again), again.out) == (1, [], first.out)
    assert failed["error"] in again.err
    assert stored()["l2sc:k=500"] == failed
    third = command(*FAILING, "--retry-failed")
    assert (third.code, made(third)) == (1, ["l2sc:k=500"])
    assert stored()["l2sc:k=500"]["finished"] > failed["finished"]


def test_a_finished_run_is_shown_under_the_name_that_it_has_now(command):
    (before,) = command(*ONE, "--json").runs
    called = command("run", "-m", "mine=one-cluster", "-s", "small=digits:tasks=2", "--json")
    assert made(called) == []
    (run,) = called.runs
    assert (run["run_id"], run["label"], run["stream_label"]) == (before["run_id"], "mine", "small")
    assert "small: purity in percent" in command("run", "-m", "mine=one-cluster", "-s", "small=digits:tasks=2").out


def test_an_audit_asked_for_later_runs_again_and_keeps_the_findings_of_earlier_ones(command):
    command(*ONE, "--audit", "poison")
    assert made(command(*ONE)) == []
    assert made(command(*ONE, "--audit", "isolate")) == ["one-cluster"]
    assert set(stored()["one-cluster"]["audit"]) == {"measure", "poison", "isolate"}
    assert made(command(*ONE, "--audit", "isolate", "--audit", "poison")) == []


def test_json_prints_every_run_of_the_experiment_whether_it_was_made_now_or_before(command):
    first = command(*TUNED, "--json")
    labels = ["kmeans:n_init=1", "kmeans:n_init=2", "one-cluster", "kmeans (oracle)"]
    assert sorted(run["label"] for run in first.runs) == sorted(labels)
    again = command(*TUNED, "--json")
    assert made(again) == []
    by_id = [{run["run_id"]: run for run in called.runs} for called in (first, again)]
    assert by_id[0] == by_id[1]
    chosen = next(run for run in again.runs if run["label"] == "kmeans (oracle)")
    assert chosen["choice"]["run_id"] in by_id[0]
    assert chosen["scores"] == by_id[0][chosen["choice"]["run_id"]]["scores"]


@pytest.mark.parametrize("damage", ["half", "better"])
def test_a_damaged_run_file_is_named_set_aside_and_its_run_is_made_again(command, damage):
    command(*TWO)
    before = stored()
    file = Path("lcbench-results", "runs", f"{before['random']['run_id']}.json")
    if damage == "half":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    else:
        edit(file, scores={"ri": [[9.0, None], [9.0, 9.0]]})
    damaged = file.read_bytes()
    called = command(*TWO)
    assert (called.code, made(called)) == (0, ["random"])
    assert called.err.count("lcbench: warning: ") == 1
    assert f"'{file}' is damaged" in called.err
    assert (Path("lcbench-results", "damaged") / file.name).read_bytes() == damaged
    for field in ("labels_digest", "scores"):
        assert stored()["random"][field] == before["random"][field]
    assert command("results", "check").code == 0


def test_no_folder_of_the_user_is_published(command, tmp_path):
    """The command of a run is in its record, with the folder of its data; exports and pages are for others."""
    folder = tmp_path / "home of x" / "news"
    folder.mkdir(parents=True)
    for name in ("a", "b"):
        (folder / f"{name}.csv").write_text("size,topic\n1,x\n2,y\n3,x\n4,y\n")
    (run,) = command("run", "-m", "one-cluster", "-s", f"mine={folder}:label=topic", "--json").runs
    assert run["command"] == f"lcbench run --method one-cluster --stream 'mine={folder}:label=topic'"
    assert command("report", "--out", "page.html").code == 0
    assert "mine=.../news:label=topic" in Path("page.html").read_text()
    for format in ("csv", "json"):
        assert command("results", "export", f"all.{format}").code == 0
    for file in ("page.html", "all.csv", "all.json"):
        text = Path(file).read_text()
        assert "one-cluster" in text
        assert "home of x" not in text
        assert ("--method" in text) == (file == "page.html")

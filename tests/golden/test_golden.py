"""What version 0.1 computed: run ids, labels and tables must not change when code is moved.

Where one of these fails, stored results of users have lost their ids, or a method clusters differently. If that is what
you want, raise the `revision` of the method and read the head of make_golden.py.
"""

from __future__ import annotations

import atexit
import csv
import importlib.util
import json
import math
import os
import re
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import lcbench


def _load(name: str) -> Any:
    """Load a module beside this one; runs of a class of golden_runs have its name in their ids."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


golden, same_kernels = _load("golden_runs"), _load("same_kernels")
WRITTEN = json.loads(golden.RUNS.read_text())
EXPERIMENTS = tuple(golden.experiments(Path()))
COMMANDS = tuple(golden.commands(Path()))
TIMES = ("finished", "learn_seconds", "predict_seconds", "metric_seconds", "peak_bytes")
OF_THE_CODE = ("code", "environment", "state_bytes", "audit")  # sizes of pickles hold the names of modules


@pytest.fixture(scope="module")
def streams(tmp_path_factory):
    """A folder with the streams of the golden runs."""
    folder = tmp_path_factory.mktemp("golden")
    golden.write_streams(folder)
    return folder


@pytest.fixture
def lines_of(streams, request):
    """The lines that a group gives now; each group is run once."""

    def lines(group: str) -> list[dict[str, Any]]:
        if group == golden.NEEDS_WEBKB:
            request.getfixturevalue("webkb")
        return _lines(group, streams)

    return lines


@cache
def _lines(group: str, folder: Path) -> list[dict[str, Any]]:
    return _process().call("run_group", group, folder)[0]


@cache
def _process() -> Any:
    process = same_kernels.SameKernels()
    atexit.register(process.close)
    return process


@cache
def _other_machine() -> str | None:
    """What of this machine may lead to other labels than those written down; None if nothing may."""
    here = _process().call("this_machine")
    then = WRITTEN["machine"]
    lacking = [f"no {library}" for library in then["libraries"] if library not in here["libraries"]]
    others = [f"{key} {here[key]}, not {then[key]}" for key in then if key != "libraries" and here[key] != then[key]]
    return "; ".join([*others, *lacking]) or None


def _skip_on_another_machine() -> None:
    if _other_machine():
        pytest.skip(f"labels may differ here: {_other_machine()}")


def test_every_method_and_every_stream_that_needs_no_download_is_pinned(tmp_path):
    def names(*words: str) -> list[tuple[str, str]]:
        text = golden.lcbench_command(*words, folder=tmp_path)
        rows = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if re.match(r" [\w]", line)]
        return [(row[0], row[-1]) for row in rows]

    ours = {kind: {name for name, of in names("list", kind) if of == "lcbench"} for kind in ("methods", "streams")}
    fetched = {name for name, _ in names("data", "list")} - {"name"}
    assert ours["methods"] == set(golden.METHODS)
    assert ours["streams"] - fetched == set(golden.STREAMS)
    assert fetched == {name.partition(":")[0] for name in golden.REAL_STREAMS}
    for stream in golden.STREAMS.values():
        runs = {line["run"].split(" | ")[0] for lines in WRITTEN["groups"].values() for line in lines
                if line["run"].split(" | ")[1] == stream and "labels" in line}  # fmt: skip
        assert set(golden.METHODS) <= runs, stream


def test_every_group_of_runs_is_pinned():
    assert tuple(WRITTEN["groups"]) == (*EXPERIMENTS, *COMMANDS)


@pytest.mark.parametrize("group", [*EXPERIMENTS, *COMMANDS])
def test_run_ids_and_statuses_are_those_of_version_0_1(group, lines_of):
    if group == golden.NEEDS_SAME_VERSIONS:
        _skip_on_another_machine()
    facts = ("run", "id", "status")
    now, then = ([{key: line.get(key) for key in facts} for line in lines]
                 for lines in (lines_of(group), WRITTEN["groups"][group]))  # fmt: skip
    assert now == then


def _labels_of_controls(lines: list[dict[str, Any]]) -> dict[str, str]:
    return {line["run"]: line["labels"] for line in lines if line["run"].startswith(golden.ALWAYS_ALIKE)}


@pytest.mark.parametrize("group", [group for group in EXPERIMENTS if _labels_of_controls(WRITTEN["groups"][group])])
def test_labels_of_controls_are_those_of_version_0_1_on_every_machine(group, lines_of):
    assert _labels_of_controls(lines_of(group)) == _labels_of_controls(WRITTEN["groups"][group])


@pytest.mark.parametrize("group", ["every method on digits", "arrays in memory, an instance of a class"])
def test_labels_of_controls_are_the_same_with_the_kernels_of_this_machine(group, streams):
    lines, _ = golden.run_group(group, streams)
    assert _labels_of_controls(lines) == _labels_of_controls(WRITTEN["groups"][group])
    assert [line["id"] for line in lines] == [line["id"] for line in WRITTEN["groups"][group]]


@pytest.mark.parametrize("group", EXPERIMENTS)
def test_labels_scores_and_choices_are_those_of_version_0_1(group, lines_of):
    _skip_on_another_machine()
    assert lines_of(group) == WRITTEN["groups"][group]


@pytest.fixture
def results(tmp_path):
    """A copy of the results folder of version 0.1."""
    return shutil.copytree(golden.RESULTS, tmp_path / "results", copy_function=shutil.copyfile)


def _on(results: Path, *words: str, ends: int = 0) -> Any:
    """Run a command on a results folder; there are no data sets, and there is no network."""
    words = (*words, "--results", str(results))
    return _process().call("lcbench_command", *words, folder=results.parent, ends=ends)


def _run_files(results: Path) -> dict[str, bytes]:
    return {file.stem: file.read_bytes() for file in (results / "runs").iterdir()}


@pytest.mark.parametrize("index", ["as it was", "older than the files", "missing"])
def test_every_run_of_a_0_1_folder_is_listed_whatever_its_index(results, index):
    if index == "as it was":
        recorded = json.loads((results / "index.json").read_text().splitlines()[1])["runs"]
        for run_id, (modified_ns, *_) in recorded.items():
            os.utime(results / "runs" / f"{run_id}.json", ns=(modified_ns, modified_ns))
    elif index == "missing":
        (results / "index.json").unlink()
    files = _run_files(results)
    listed = [json.loads(line) for line in _on(results, "results", "list", "--json").splitlines()]
    assert sorted(run["run_id"] for run in listed) == sorted(files)
    for run in listed:
        stored = json.loads(files[run["run_id"]])
        assert all(run[key] == stored[key] for key in ("status", "label", "finished"))
    assert not (results / "damaged").exists()


def test_records_of_a_0_1_folder_are_loaded_as_they_were_written(results):
    files = {run_id: json.loads(content) for run_id, content in _run_files(results).items()}
    runs = lcbench.load_results(results).runs
    assert {run.run_id for run in runs} == set(files)
    for run in runs:
        loaded, stored = run.to_json(), files[run.run_id]
        assert loaded["environment"]["packages"]["lcbench"] == "0.1.0"
        for key in set(stored) - {"schema", "environment", "summary"}:
            assert loaded[key] == stored[key], key
        _check_summary(loaded["summary"], stored["summary"])


def _check_summary(now: dict[str, Any], then: dict[str, Any]) -> None:
    """Every figure that 0.1 wrote is there with its formula and its value, some under another name."""
    assert list(now) == list(then)
    for metric, figures in then.items():
        kept = {golden.RENAMED.get(name, name): figure for name, figure in figures.items() if name not in golden.GONE}
        assert now[metric].items() >= kept.items(), metric
        assert {name: figures[name]["formula"] for name in figures.keys() & golden.GONE.keys()} == golden.GONE


@pytest.mark.parametrize("file", golden.TABLES)
def test_a_table_from_a_0_1_folder_is_byte_for_byte_what_was_written_down(results, file):
    files = _run_files(results)
    text, expected = _on(results, *golden.TABLES[file]), (golden.HERE / file).read_bytes().decode()
    assert _run_files(results) == files  # nothing was run
    if _other_machine():  # means and intervals may differ in their last digit
        number = re.compile(r"(-?\d+\.\d+(?:e-?\d+)?)")
        now, then = number.split(text), number.split(expected)
        assert now[::2] == then[::2]
        assert all(map(_close, now[1::2], then[1::2]))
    else:
        assert text == expected


def test_every_number_that_0_1_compared_stands_in_the_table_still():
    """Columns and figures were renamed, and others were added; a flag on a gain over another method is no more."""
    then, now = (
        {
            (*(row[key] for key in ("stream", "method", "metric", "kind")), named.get(row["name"], row["name"])): row
            for row in csv.DictReader((golden.HERE / file).read_text().splitlines())
        }
        for file, named in (("compare-0.1.csv", golden.RENAMED), ("compare.csv", {}))
    )
    columns = {"difference": "gain", "low": "gain_low", "high": "gain_high"}
    kept = {key: row for key, row in then.items() if key[-1] not in golden.GONE}
    assert len(kept) > 300
    for key, row in kept.items():
        assert {
            columns.get(name, name): value for name, value in row.items() if name not in ("name", "flag")
        }.items() <= (now[key].items()), key
    assert {row["metric"] for row in now.values()} - {row["metric"] for row in then.values()} == {"ari"}


def _close(first: str, second: str) -> bool:
    return math.isclose(float(first), float(second), rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("name", [name for name in golden.FOLDER_COMMANDS if name != golden.PAPER_TABLE])
def test_the_command_that_made_a_0_1_folder_adds_solo_runs_and_runs_and_rewrites_nothing_else(results, name):
    files, ends = _run_files(results), golden.EXIT_CODES.get(name, 0)
    whole = [run for run in lcbench.load_results(results) if run.label == golden.LEARN_ALONE[name]]
    expected = {solo for run in whole for solo in run.solo_ids}
    _on(results, *golden.FOLDER_COMMANDS[name], "--no-solo", ends=ends)
    assert _run_files(results) == files
    _on(results, *golden.FOLDER_COMMANDS[name], ends=ends)
    after = _run_files(results)
    assert set(after) - set(files) == expected
    assert {run_id: after[run_id] for run_id in files} == files
    added = [json.loads(after[run_id]) for run_id in expected]
    assert sorted((run["repeat"], *run["order"]) for run in added) == sorted(
        {(run.repeat, task) for run in whole for task in run.order}
    )
    assert {(run["status"], *run["order_kinds"]) for run in added} == {("failed" if ends else "ok", "solo")}
    _on(results, *golden.FOLDER_COMMANDS[name], ends=ends)
    assert _run_files(results) == after


def test_deleted_runs_alone_are_made_again_with_the_same_ids_labels_and_scores(results):
    files = _run_files(results)
    runs = [json.loads(content) for _, content in sorted(files.items())]
    on_digits = [run for run in runs if run["stream_label"] == "digits:tasks=3"]
    deleted = {label: next(run for run in on_digits if run["label"] == label) for label in ("random", "l2sc")}
    ids = {run["run_id"] for run in deleted.values()}
    for run_id in ids:
        (results / "runs" / f"{run_id}.json").unlink()
    listed = map(json.loads, _on(results, *golden.RANDOM_ORDERS, "--no-solo", "--dry-run", "--json").splitlines())
    assert {run["run_id"] for run in listed if run["to_do"]} == ids
    _on(results, *golden.RANDOM_ORDERS, "--no-solo", "--quiet")
    made = _run_files(results)
    assert {run_id for run_id, content in files.items() if made[run_id] != content} == ids
    for label, before in deleted.items():
        again = json.loads(made[before["run_id"]])
        alike = label == "random" or not _other_machine()
        for key in (
            set(before) - {*TIMES, *OF_THE_CODE, "schema", "summary", "objective_trace"}
            if alike
            else ("run_id", "order", "params", "status")
        ):
            assert again[key] == before[key], (label, key)
        if alike:
            _check_summary(again["summary"], before["summary"])
            _check_objective(again["objective_trace"], before["objective_trace"])


def _check_objective(now: list[list[float] | None], then: list[list[float] | None]) -> None:
    """The same turns to the same values, but for the last digits: those depend on the order of a sum."""
    assert now == [None if values is None else pytest.approx(values, rel=1e-12) for values in then]


def test_labels_stored_by_0_1_are_scored_by_another_metric_without_a_run(results):
    files = {run_id: json.loads(content) for run_id, content in _run_files(results).items()}
    _on(results, *golden.RANDOM_ORDERS, "--metric", "nmi:average=geometric", "--no-solo", "--quiet")
    added = 0
    for run_id, content in _run_files(results).items():
        run, before = json.loads(content), files[run_id]
        assert (run["finished"], run["labels_digest"]) == (before["finished"], before["labels_digest"])
        added += len(run["scores"]) - len(before["scores"])
    assert added == 12


def test_golden_files_name_no_folder_of_the_machine_that_wrote_them():
    for file in golden.HERE.rglob("*"):
        if file.suffix in (".json", ".csv"):
            assert not re.search(r"/(home|root|work|tmp|Users)/", file.read_text()), file

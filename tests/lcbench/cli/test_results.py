from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from pathlib import Path

import pytest
from edited_records import edit, write_older
from making import make_record, make_results

import lcbench
from lcbench.records.record import FAILED

ESCAPE = "\x1b[31m[bold]x[/bold]\t\n"
EVERYTHING = {"ok", "failed", "crashed"}


def here() -> list[str]:
    return sorted(path.name for path in Path.cwd().iterdir())


def test_the_help_lists_the_commands_of_results(command):
    out = command("results", "--help").out
    assert re.findall(r"^  (\w+) +[A-Z]", out, re.MULTILINE) == ["list", "show", "export", "remove", "check"]


def test_list_shows_the_runs_the_newest_first(command, folder, runs):
    called = command("results", "list")
    assert (called.code, called.err) == (0, "")
    rows = [line for line in called.lines if re.match(r"[0-9a-f]{10} ", line)]
    assert [row.split()[0] for row in rows] == [run.run_id[:10] for run in reversed(runs)]
    assert " ok mine s:tasks=2 a,b 0 70.0 3.000 20" in rows[2]  # nmi and ri were not computed: no columns for them
    assert " failed theirs s:tasks=2 a,b 0 – 1.000 20" in rows[1]


def test_plain_and_json_lines_have_the_whole_id_and_order_and_fixed_columns(command, folder, runs):
    make_results(make_record(order=[f"a-long-name-{n}" for n in range(12)]))
    lines = [line.split("\t") for line in command("results", "list", "--all").out.splitlines()]
    listed = command("results", "list", "--json").runs
    assert [line[0] for line in lines] == [run["run_id"] for run in listed]
    ok = next(i for i, run in enumerate(listed) if run["run_id"] == runs.ok.run_id)
    assert lines[ok][1:11] == ["ok", "mine", "s:tasks=2", "a,b", "0", "70.0", "–", "–", "–", "3.000"]
    assert re.fullmatch(r"20\d\d-\d\d-\d\d \d\d:\d\d", lines[ok][11])
    assert (listed[ok]["after_all"], listed[ok]["order"]) == ({"purity": 0.7}, ["a", "b"])
    assert {len(line) for line in lines} == {12}
    assert max(len(line[4].split(",")) for line in lines) == 12
    assert "a-long-name-,... (12)" in command("results", "list").out


@pytest.mark.parametrize("width", [60, 120])
def test_a_narrow_list_drops_columns(command, folder, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    out = command("results", "list").out
    assert ("Left out to fit the width: repeat, learn s, when." in out) == (width < 120)
    assert " a,b " in out  # the order stays


@pytest.mark.parametrize(
    ("kinds", "shown"),
    [((), "a,b"), (("fixed",), "fixed: a,b"), (("fixed", "random"), "fixed/random: a,b"), (("solo",), "solo: a,b")],
)
def test_the_list_has_each_order_with_its_kind_if_that_is_known(command, kinds, shown):
    make_results(make_record(order_kinds=kinds, experiments=("mine",)))
    called = command("results", "list")
    assert f" s {shown} 0 70.0 " in called.lines[-1]
    (run,) = command("results", "list", "--json").runs
    assert (run["order"], run["kinds"], run["experiments"]) == (["a", "b"], list(kinds), ["mine"])


@pytest.mark.parametrize(
    ("metrics", "shown"),
    [("ri ari purity", "purity ri ari"), ("silhouette ami", "silhouette"), ("ami accuracy", "ami accuracy")],
)
def test_the_usual_metrics_that_runs_have_are_listed_or_else_others(command, metrics, shown):
    make_results(make_record(scores={metric: [[0.5, None], [0.5, 0.5]] for metric in metrics.split()}))
    header = command("results", "list").out.split("───")[0]
    assert header.split("repeat")[1].replace("learn", "").split()[:-1] == [*shown.split(), "s"]


def test_list_shows_the_newest_fifty_and_says_how_to_see_the_others(command, folder, runs):
    make_results(*(make_record(repeat=n, finished=f"2026-02-01T00:00:{n:02}+00:00") for n in range(1, 50)))
    out = command("results", "list").out
    shown = re.findall(r"^ ([0-9a-f]{10}) ", out, re.MULTILINE)
    assert (len(shown), shown[0], shown[-1]) == (50, make_record(repeat=49).run_id[:10], runs.crashed.run_id[:10])
    assert "These are the newest 50; --all lists 2 older runs as well." in out
    assert len(command("results", "list", "--all").out.splitlines()) == 52


@pytest.mark.parametrize("verb", ["list", "list --all", "list --json", "show ID", "show ID --json"])
def test_terminal_escapes_in_a_stored_run_do_not_reach_the_terminal(command, verb):
    run = make_record(ESCAPE, stream_label=ESCAPE, status=FAILED, error=ESCAPE, traceback=[ESCAPE], command=ESCAPE)
    make_results(run)
    called = command("results", *verb.replace("ID", run.run_id).split())
    assert (called.code, "\x1b" in called.out) == (0, False)
    assert "[bold]x[/bold]" in called.out
    assert "--" not in verb or called.out.count("\n") == 1


def test_show_json_prints_what_is_stored(command, folder, runs):
    out = command("results", "show", runs.ok.run_id, "--json").out
    assert json.loads(out) == json.loads((folder / "runs" / f"{runs.ok.run_id}.json").read_text())
    assert out.count("\n") == 1


def test_export_writes_the_same_rows_in_every_format(command, folder):
    for name in ("runs.csv", "runs.json", "runs.parquet", "RUNS.CSV"):
        assert command("results", "export", name) == (0, "", f"5 rows from 3 runs in {name}\n")
    import pyarrow.parquet as pq

    rows = json.loads(Path("runs.json").read_text())
    assert pq.read_table("runs.parquet").to_pylist() == rows
    with Path("runs.csv").open(newline="") as file:
        texts = list(csv.DictReader(file))
    assert texts == [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows]
    assert here() == ["RUNS.CSV", "lcbench-results", "runs.csv", "runs.json", "runs.parquet"]


def test_export_has_the_rows_of_the_frame(command, blob_stream):
    results = lcbench.run("random", blob_stream, repeats=2, out="lcbench-results", executor=lcbench.InProcess())
    command("results", "export", "all.json")
    frame = results.to_frame().astype(object)
    expected = frame.where(frame.notna(), None).to_dict("records")
    key = ("run_id", "metric", "tasks_learned", "position")
    exported, expected = (
        sorted(rows, key=lambda row: [row[k] for k in key])
        for rows in (json.loads(Path("all.json").read_text()), expected)
    )
    assert exported == expected


def test_export_writes_to_standard_output_and_nothing_else(command, folder, runs):
    called = command("results", "export", "-", "--status", "crashed")
    (row,) = csv.DictReader(io.StringIO(called.out))
    assert (row["run_id"], row["status"], row["metric"], row["score"]) == (runs.crashed.run_id, "crashed", "", "")
    assert called.err == ""
    assert len(json.loads(command("results", "export", "-", "--format", "json", "--stream", "s").out)) == 4


def test_export_of_nothing_has_the_columns(command, tmp_path):
    assert command("results", "export", "none.csv", "--results", str(tmp_path)).code == 0
    assert Path("none.csv").read_text().startswith('"run_id","method",')
    assert Path("none.csv").read_text().count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    {
        "runs.xlsx": "'runs.xlsx' does not say its format: end it in .csv, .parquet or .json, or use --format.",
        "runs": "'runs' does not say its format",
        "runs.csv --format excel": "--format takes one of csv, parquet, json, not 'excel'.",
        "missing/runs.csv": "'missing/runs.csv' could not be written (No such file or directory).",
        "lcbench-results --format csv": "'lcbench-results' could not be written (Is a directory).",
        ". --format csv": "'.' could not be written",
        "runs.parquet": "Parquet needs pyarrow: pip install 'lcbench[frames]'.",
        "- --format parquet": "Parquet is not for a terminal: name a file.",
        "x.csv --method typo": "nothing to show for method 'typo': none of the 3 runs in 'lcbench-results' fits.",
        "x.csv --method theirs --stream t": "nothing to show: none of the 3 runs in 'lcbench-results' fits.",
    }.items(),
)
def test_an_export_that_cannot_be_written_is_refused_with_one_sentence(
    refused, folder, monkeypatch, arguments, sentence
):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert sentence in refused("results", "export", *arguments.split())
    assert here() == ["lcbench-results"]


def test_remove_deletes_the_named_runs_and_environments_that_no_other_run_has(command, folder, runs, kept):
    called = command("results", "remove", runs.ok.run_id[:8], runs.crashed.run_id, runs.ok.run_id, "--yes")
    assert (called.code, called.err) == (0, "")
    assert called.out.splitlines() == [
        f"removed {runs.ok.run_id[:10]}: mine on s:tasks=2, ok",
        f"removed {runs.crashed.run_id[:10]}: mine on t, crashed",
    ]
    assert kept() == {"failed"}
    assert len(list((folder / "environments").iterdir())) == 1


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        ("--status failed", {"ok", "crashed"}),
        ("--method m --stream s", {"failed", "crashed"}),
        ("--all", set()),
        ("--status timeout", EVERYTHING),
    ],
)
def test_remove_deletes_the_runs_that_fit_the_filters(command, kept, filters, left):
    called = command("results", "remove", *filters.split(), "--yes")
    assert (called.code, called.out.count("removed"), kept()) == (0, 3 - len(left), left)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        *(
            (words, "Say which runs to remove: ids, or --method, --stream and other filters, or --all.")
            for words in ("", "--yes", "--all --method m", "abcd --all", "abcd -m m")
        ),
        ("--all", "This would remove 3 runs from 'lcbench-results': say --yes to do it."),
    ],
)
def test_remove_needs_one_choice_of_runs_and_a_terminal_or_yes(command, kept, arguments, sentence):
    assert command("results", "remove", *arguments.split()) == (2, "", f"lcbench: {sentence}\n")
    assert kept() == EVERYTHING


@pytest.mark.parametrize(("answer", "removed"), [("y\n", True), ("n\n", False)])
def test_remove_asks_at_a_terminal(command, kept, terminal, answer, removed):
    terminal(answer)
    called = command("results", "remove", "--status", "ok")
    assert called.code == (0 if removed else 1)
    assert called.err.startswith("Remove 1 run from 'lcbench-results'? [y/N]: ")
    assert ("nothing was removed" in called.err) == (not removed)
    assert ("ok" in kept()) == (not removed)


def test_remove_names_some_and_counts_the_rest(command):
    make_results(*(make_record(repeat=repeat) for repeat in range(31)))
    lines = command("results", "remove", "--all", "--yes").out.splitlines()
    assert (len(lines), lines[-1]) == (21, "removed 11 more, 31 together")


def test_a_damaged_file_costs_a_warning_and_nothing_else(command, folder, runs):
    (folder / "runs" / f"{runs.ok.run_id}.json").write_text("")
    called = command("results", "list", "--all")
    assert (called.code, len(called.out.splitlines())) == (0, 2)
    said = (
        r"lcbench: warning: '.*' is damaged \(it is empty\): it is left out, and 'lcbench run' makes its run again.\n"
    )
    assert re.fullmatch(said, called.err)
    assert command("results", "list", "--all").err == called.err


def test_a_damaged_run_is_not_shown_and_says_why_and_can_be_removed(command, folder, runs):
    file = folder / "runs" / f"{runs.ok.run_id}.json"
    edit(file, label="another")
    called = command("results", "show", runs.ok.run_id[:6])
    assert (called.code, called.out) == (2, "")
    assert called.err.splitlines()[-1] == (
        f"lcbench: Run '{runs.ok.run_id[:10]}' cannot be shown: its file is damaged (it was changed: its checksum does "
        "not fit)."
    )
    assert command("results", "remove", runs.ok.run_id[:6], "--yes").out == f"removed {runs.ok.run_id[:10]}: damaged\n"
    assert not file.exists()


def test_a_folder_in_which_all_runs_are_damaged_holds_none_that_can_be_read(command):
    run = make_record()
    make_results(run).run_file(run.run_id).write_text("")
    said = "'lcbench-results' holds no runs that can be read."
    assert said in command("results", "list").err
    assert command("compare").err.endswith(f"lcbench: There is nothing to show: {said}\n")


def test_runs_of_an_older_lcbench_are_marked_as_unverified(command, folder, runs):
    write_older(folder / "runs" / f"{runs.ok.run_id}.json")
    out = command("results", "list").lines
    assert sum(" ok, unverified mine " in line for line in out) == 1
    assert out[-1] == "unverified: an older lcbench wrote it, without a checksum."
    listed = {run["run_id"]: run["verified"] for run in command("results", "list", "--json").runs}
    assert listed == {run.run_id: run.run_id != runs.ok.run_id for run in runs}
    assert "record unverified: an older lcbench wrote it, without a checksum" in (
        command("results", "show", runs.ok.run_id).lines
    )
    said = "mine (1 of 2 runs): unverified, as an older lcbench wrote them, without a checksum."
    assert said in command("compare").lines


@pytest.mark.parametrize("target", ["runs", "index", "environments"])
def test_a_pipe_in_place_of_a_file_of_the_store_is_not_waited_for(command, folder, runs, target):
    files = {
        "runs": folder / "runs" / f"{runs.ok.run_id}.json", "index": folder / "index.json",
        "environments": next((folder / "environments").iterdir()),
    }  # fmt: skip
    files[target].unlink(missing_ok=True)
    os.mkfifo(files[target])
    called = command("results", "list", "--all")
    assert (called.code, len(called.out.splitlines())) == (0, 2 if target == "runs" else 3)

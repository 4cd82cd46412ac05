from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from making import make_record, make_results

import lcbench
from lcbench.records.record import FAILED
from lcbench.records.store import RunStore

ESCAPE = "\x1b[31m[bold]x[/bold]\t\n"
REPORT = """
import sys
from lcbench.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("heavy:", *(m for m in ("numpy", "scipy", "sklearn", "pandas") if m in sys.modules), file=sys.stderr)
"""


@pytest.fixture
def terminal(monkeypatch):
    """A person at a terminal who gives this answer."""

    def sit_down(answer):
        person = io.StringIO(answer)
        person.isatty = lambda: True
        monkeypatch.setattr(sys, "stdin", person)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)

    return sit_down


def ids(folder):
    return {path.stem for path in (folder / "runs").iterdir()}


def test_results_alone_lists_its_commands(command):
    out = command("results").out
    for verb in ("list", "show", "export", "remove"):
        assert re.search(rf"\b{verb}\b", out)


def test_list_shows_the_runs_the_newest_first(command, folder, runs):
    called = command("results", "list")
    assert (called.code, called.err) == (0, "")
    rows = [" ".join(line.split()) for line in called.out.splitlines() if re.match(r" [0-9a-f]{10} ", line)]
    assert [row.split()[0] for row in rows] == [run.run_id[:10] for run in reversed(runs)]
    assert " ok mine s:tasks=2 north,south 0 70.0 35.0 3.000 20" in rows[2]  # ri was not computed: no column for it
    assert " failed theirs s:tasks=2 north,south 0 – – 1.000 20" in rows[1]


def test_plain_and_json_lines_have_the_whole_id_and_order_and_fixed_columns(command, folder, runs, make_record):
    RunStore(folder).save(make_record(order=[f"a-long-name-{n}" for n in range(12)], scores={}, repeat=1))
    lines = [line.split("\t") for line in command("results", "list", "--all").out.splitlines()]
    listed = command("results", "list", "--json").runs
    assert [line[0] for line in lines] == [run["run_id"] for run in listed]
    assert {runs.ok.run_id, runs.failed.run_id, runs.crashed.run_id} < {run["run_id"] for run in listed}
    ok = next(i for i, run in enumerate(listed) if run["run_id"] == runs.ok.run_id)
    assert lines[ok][1:10] == ["ok", "mine", "s:tasks=2", "north,south", "0", "70.0", "35.0", "–", "3.000"]
    assert re.fullmatch(r"20\d\d-\d\d-\d\d \d\d:\d\d", lines[ok][10])
    assert (listed[ok]["after_all"], listed[ok]["order"]) == ({"purity": 0.7, "nmi": 0.35}, ["north", "south"])
    assert {len(line) for line in lines} == {11}
    assert max(len(line[4].split(",")) for line in lines) == 12
    assert "a-long-name-,... (12)" in command("results", "list").out


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_narrow_list_drops_columns_and_cuts_no_number(command, folder, monkeypatch, width, runs):
    monkeypatch.setenv("COLUMNS", str(width))
    out = command("results", "list").out
    assert max(map(len, out.splitlines())) <= width
    assert runs.ok.run_id[:10] in out
    assert "70.0" in out
    assert ("Left out to fit the width: order" in " ".join(out.split())) == (width < 120)


@pytest.mark.parametrize(
    ("metrics", "shown"),
    [
        (("ri", "ari", "purity"), ["purity", "ri"]),
        (("silhouette", "ami", "accuracy", "ari"), ["silhouette"]),
        (("ari", "ami"), ["ari", "ami"]),
        ((), []),
    ],
    ids=str,
)
def test_the_usual_metrics_that_runs_have_are_listed_or_else_others(command, metrics, shown):
    make_results(make_record(scores={metric: [[0.5, None], [0.5, 0.5]] for metric in metrics}))
    header = command("results", "list").out.split("───")[0]
    assert header.split("repeat")[1].replace("learn", "").split()[: len(shown) + 1] == [*shown, "s"]


def test_list_shows_the_newest_fifty_and_says_how_to_see_the_others(command, folder, runs):
    for n in range(49):
        RunStore(folder).save(replace(runs.ok, repeat=n + 1, finished=f"2026-02-01T00:00:{n:02}+00:00"))
    out = command("results", "list").out
    shown = re.findall(r"^ ([0-9a-f]{10}) ", out, re.MULTILINE)
    assert len(shown) == 50
    assert shown[0] == replace(runs.ok, repeat=49).run_id[:10]
    assert runs.ok.run_id[:10] not in shown
    assert "These are the newest 50; --all lists 2 older runs as well." in out
    assert len(command("results", "list", "--all").out.splitlines()) == 52


def test_terminal_escapes_in_a_stored_run_do_not_reach_the_terminal(command, folder, make_record):
    run = make_record(repeat=7, label=ESCAPE, stream_label=ESCAPE, status=FAILED, error=ESCAPE, traceback=[ESCAPE])
    RunStore(folder).save(run)
    for verb in (
        ("list",),
        ("list", "--all"),
        ("list", "--json"),
        ("show", run.run_id),
        ("show", run.run_id, "--json"),
    ):
        called = command("results", *verb)
        assert (called.code, "\x1b" in called.out) == (0, False)
    assert len(command("results", "list", "--all").out.splitlines()) == 4
    assert "[bold]x[/bold]" in command("results", "show", run.run_id).out


def test_show_json_prints_what_is_stored(command, folder, runs):
    out = command("results", "show", runs.ok.run_id, "--json").out
    assert json.loads(out) == json.loads((folder / "runs" / f"{runs.ok.run_id}.json").read_text())
    assert out.count("\n") == 1


def test_export_writes_the_same_rows_in_every_format(command, folder, tmp_path):
    for name in ("runs.csv", "runs.json", "runs.parquet", "RUNS.CSV"):
        called = command("results", "export", name)
        assert (called.code, called.out, called.err) == (0, "", f"8 rows from 3 runs in {name}\n")
    import pyarrow.parquet as pq

    rows = json.loads((tmp_path / "runs.json").read_text())
    assert pq.read_table(tmp_path / "runs.parquet").to_pylist() == rows
    with (tmp_path / "runs.csv").open(newline="") as file:
        texts = list(csv.DictReader(file))
    assert texts == [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "RUNS.CSV", "lcbench-results", "runs.csv", "runs.json", "runs.parquet",
    ]  # fmt: skip


def test_export_has_the_rows_of_the_frame(command, tmp_path, blob_stream, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = lcbench.run("random", blob_stream, repeats=2, out="lcbench-results")
    command("results", "export", "all.json")
    key = ("run_id", "metric", "tasks_learned", "position")
    exported = sorted(json.loads((tmp_path / "all.json").read_text()), key=lambda row: [row[k] for k in key])
    frame = results.to_frame().astype(object)
    expected = frame.where(frame.notna(), None).to_dict("records")
    assert exported == sorted(expected, key=lambda row: [row[k] for k in key])


def test_export_writes_to_standard_output_and_nothing_else(command, folder, runs):
    called = command("results", "export", "-", "--status", "crashed")
    (row,) = csv.DictReader(io.StringIO(called.out))
    assert (row["run_id"], row["status"], row["metric"], row["score"]) == (runs.crashed.run_id, "crashed", "", "")
    assert called.err == ""
    assert len(json.loads(command("results", "export", "-", "--format", "json", "--stream", "s").out)) == 7


def test_export_of_nothing_has_the_columns(command, tmp_path):
    target = tmp_path / "none.csv"
    called = command("results", "export", str(target), "--results", str(tmp_path))
    assert called.code == 0
    assert target.read_text().startswith('"run_id","method",')
    assert target.read_text().count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("runs.xlsx",), "'runs.xlsx' does not say its format: end it in .csv, .parquet or .json, or use --format."),
        (("runs",), "'runs' does not say its format"),
        (("runs.csv", "--format", "excel"), "--format takes one of csv, parquet, json, not 'excel'."),
        (("missing/runs.csv",), "'missing/runs.csv' could not be written (No such file or directory)."),
        (("lcbench-results", "--format", "csv"), "'lcbench-results' could not be written (Is a directory)."),
        ((".", "--format", "csv"), "'.' could not be written"),
    ],
    ids=str,
)
def test_an_export_that_cannot_be_written_is_refused_with_one_sentence(command, folder, arguments, sentence, runs):
    called = command("results", "export", *arguments)
    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
    assert sentence in called.err
    assert [path.name for path in folder.parent.iterdir()] == ["lcbench-results"]


def test_an_export_to_parquet_without_pyarrow_leaves_no_file(command, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    called = command("results", "export", "runs.parquet")
    assert called.code == 2
    assert called.err == "lcbench: Parquet needs pyarrow: pip install 'lcbench[frames]'.\n"
    assert [path.name for path in folder.parent.iterdir()] == ["lcbench-results"]


def test_remove_deletes_the_named_runs_and_environments_that_no_other_run_has(command, folder, runs):
    called = command("results", "remove", runs.ok.run_id[:8], runs.crashed.run_id, runs.ok.run_id, "--yes")
    assert (called.code, called.err) == (0, "")
    assert called.out.splitlines() == [
        f"removed {runs.ok.run_id[:10]}: mine on s:tasks=2, ok",
        f"removed {runs.crashed.run_id[:10]}: mine on t, crashed",
    ]
    assert ids(folder) == {runs.failed.run_id}
    assert len(list((folder / "environments").iterdir())) == 1


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (("--status", "failed"), {"ok", "crashed"}),
        (("--method", "m", "--stream", "s"), {"failed", "crashed"}),
        (("--all",), set()),
        (("--method", "nobody"), {"ok", "failed", "crashed"}),
    ],
    ids=lambda value: " ".join(sorted(value) if isinstance(value, set) else value),
)
def test_remove_deletes_the_runs_that_fit_the_filters(command, folder, filters, kept, runs):
    called = command("results", "remove", *filters, "--yes")
    assert called.code == 0
    assert called.out.count("removed") == 3 - len(kept)
    assert ids(folder) == {getattr(runs, name).run_id for name in kept}


@pytest.mark.parametrize(
    "arguments", [(), ("--yes",), ("--all", "--method", "m"), ("abcd", "--all"), ("abcd", "-m", "m")]
)
def test_remove_needs_ids_or_filters_or_all_and_takes_no_two_of_them(command, folder, arguments):
    called = command("results", "remove", *arguments)
    assert called.code == 2
    assert called.err == ("lcbench: Say which runs to remove: ids, or --method, --stream and --status, or --all.\n")
    assert len(ids(folder)) == 3


def test_remove_without_yes_refuses_where_there_is_no_terminal(command, folder):
    called = command("results", "remove", "--all")
    assert (called.code, called.out) == (2, "")
    assert called.err == "lcbench: This would remove 3 runs from 'lcbench-results': say --yes to do it.\n"
    assert len(ids(folder)) == 3


@pytest.mark.parametrize(
    ("answer", "code", "left"), [("y\n", 0, 2), ("yes\n", 0, 2), ("n\n", 1, 3), ("\n", 1, 3), ("", 1, 3)]
)
def test_remove_asks_at_a_terminal(command, folder, terminal, answer, code, left):
    terminal(answer)
    called = command("results", "remove", "--status", "ok")
    assert called.code == code
    assert called.err.startswith("Remove 1 run from 'lcbench-results'? [y/N]: ")
    assert ("nothing was removed" in called.err) == (left == 3)
    assert len(ids(folder)) == left


def test_remove_names_some_and_counts_the_rest(command, folder, runs):
    for repeat in range(1, 31):
        RunStore(folder).save(replace(runs.ok, repeat=repeat))
    lines = command("results", "remove", "--status", "ok", "--yes").out.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "removed 11 more, 31 together"


def test_a_damaged_file_costs_a_warning_and_nothing_else(command, folder, runs):
    (folder / "runs" / f"{runs.ok.run_id}.json").write_text("")
    called = command("results", "list", "--all")
    assert (called.code, len(called.out.splitlines())) == (0, 2)
    assert re.fullmatch(r"lcbench: warning: '.*' is damaged \(it is empty\) and was moved to '.*': .*\n", called.err)
    assert command("results", "list", "--all").err == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",), ("list", "--all", "--method", "m"), ("list", "--json", "--status", "ok"), ("show", "ID"),
        ("export", "x.csv"), ("remove", "--all", "--yes"),
    ],
    ids=lambda arguments: arguments[0] if len(arguments) == 1 else " ".join(arguments[:2])[:12],
)  # fmt: skip
def test_nothing_heavy_is_imported(folder, arguments, runs):
    line = [sys.executable, "-c", REPORT, "results", *(runs.ok.run_id if a == "ID" else a for a in arguments)]
    ended = subprocess.run(line, capture_output=True, text=True, check=True, cwd=folder.parent)
    assert ended.stderr.split("heavy:")[1].split() == []

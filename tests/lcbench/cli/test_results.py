from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest

import lcbench
from lcbench.records.record import CRASHED, FAILED, RunRecord
from lcbench.records.store import RunStore

ESCAPE = "\x1b[31m[bold]x[/bold]\t\n"
REPORT = """
import sys
from lcbench.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("heavy:", *(m for m in ("numpy", "scipy", "sklearn", "pandas", "pydantic") if m in sys.modules), file=sys.stderr)
"""


def make_run(**changes) -> RunRecord:
    return RunRecord(**{
        "method": "m", "revision": 1, "params": {"lam": 1.0}, "setting": "lifelong", "stream": "s",
        "stream_params": {"tasks": 2}, "stream_digest": "s-1", "order": ("north", "south"), "seed": 0, "repeat": 0,
        "label": "mine", "stream_label": "s:tasks=2", "finished": "2026-01-01T00:00:00.000+00:00",
        "scores": {"purity": [[0.5, None], [0.6, 0.8]], "nmi": [[0.1, None], [0.2, 0.5]]},
        "learn_seconds": [1.0, 2.0], "predict_seconds": [0.0, 0.5], "metric_seconds": [0.1, 0.1],
        "state_bytes": [10, 2000], "environment": {"python": "3.11", "packages": {"numpy": "2.0"}},
    } | changes)  # fmt: skip


OK_RUN = make_run()
FAILED_RUN = make_run(
    method="other", label="theirs", status=FAILED, error="it broke", traceback=["line 1", "line 2"],
    scores={"purity": [[0.5, None]]}, learn_seconds=[1.0], finished="2026-01-02T00:00:00.000+00:00",
)  # fmt: skip
CRASHED_RUN = make_run(
    stream="t", stream_label="t", status=CRASHED, scores={}, learn_seconds=[], predict_seconds=[], metric_seconds=[],
    state_bytes=[], environment={"python": "3.12"}, finished="2026-01-03T00:00:00.000+00:00",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The default folder with three runs."""
    monkeypatch.chdir(tmp_path)
    store = RunStore("lcbench-results")
    for run in (OK_RUN, FAILED_RUN, CRASHED_RUN):
        store.save(run)
    return tmp_path / "lcbench-results"


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


def words(text):
    return " ".join(text.split())


def test_results_alone_shows_what_can_be_done(command):
    out = command("results").out
    for verb in ("list", "show", "export", "remove"):
        assert re.search(rf"\b{verb}\b", out)


def test_list_shows_the_runs_the_newest_first(command, folder):
    called = command("results", "list")
    assert (called.code, called.err) == (0, "")
    rows = [words(line) for line in called.out.splitlines() if re.match(r" [0-9a-f]{10} ", line)]
    assert [row.split()[0] for row in rows] == [run.run_id[:10] for run in (CRASHED_RUN, FAILED_RUN, OK_RUN)]
    assert " ok mine s:tasks=2 north,south 0 70.0 35.0 3.000 20" in rows[2]  # ri was not computed: no column for it
    assert " failed theirs s:tasks=2 north,south 0 – – 1.000 20" in rows[1]


def test_list_shows_the_newest_fifty_and_says_how_to_see_the_others(command, folder):
    for n in range(49):
        RunStore(folder).save(replace(OK_RUN, repeat=n + 1, finished=f"2026-02-01T00:00:{n:02}+00:00"))
    out = command("results", "list").out
    shown = re.findall(r"^ ([0-9a-f]{10}) ", out, re.MULTILINE)
    assert len(shown) == 50
    assert shown[0] == replace(OK_RUN, repeat=49).run_id[:10]
    assert OK_RUN.run_id[:10] not in shown
    assert "These are the newest 50; --all lists 2 older runs as well." in out
    assert len(command("results", "list", "--all").out.splitlines()) == 52


def test_list_all_prints_plain_lines_with_tabs(command, folder):
    called = command("results", "list", "--all")
    lines = [line.split("\t") for line in called.out.splitlines()]
    assert [line[0] for line in lines] == [run.run_id for run in (CRASHED_RUN, FAILED_RUN, OK_RUN)]
    assert lines[2][1:10] == ["ok", "mine", "s:tasks=2", "north,south", "0", "70.0", "35.0", "–", "3.000"]
    assert re.fullmatch(r"20\d\d-\d\d-\d\d \d\d:\d\d", lines[2][10])


def test_list_json_has_an_object_per_line(command, folder):
    runs = command("results", "list", "--json").runs
    assert [run["run_id"] for run in runs] == [run.run_id for run in (CRASHED_RUN, FAILED_RUN, OK_RUN)]
    assert (runs[2]["after_all"], runs[2]["order"]) == ({"purity": 0.7, "nmi": 0.35}, ["north", "south"])


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (("--method", "m"), {OK_RUN, CRASHED_RUN}),
        (("--method", "mine"), {OK_RUN, CRASHED_RUN}),
        (("--method", "theirs", "--method", "mine"), {OK_RUN, FAILED_RUN, CRASHED_RUN}),
        (("--stream", "s"), {OK_RUN, FAILED_RUN}),
        (("--stream", "s:tasks=2", "-m", "m"), {OK_RUN}),
        (("--status", "failed", "--status", "crashed"), {FAILED_RUN, CRASHED_RUN}),
        (("--status", "timeout"), set()),
        (("--method", "mi"), set()),
        (("--method", "other"), {FAILED_RUN}),
        (("--stream", "t"), {CRASHED_RUN}),
    ],
    ids=str,
)
def test_filters_choose_runs(command, folder, filters, expected):
    called = command("results", "list", "--json", *filters)
    assert called.code == 0
    assert {run["run_id"] for run in called.runs} == {run.run_id for run in expected}
    assert called.err == ("" if expected else "None of the 3 runs in 'lcbench-results' fits.\n")


def test_a_name_that_is_a_label_means_no_variant_of_it(command, folder):
    RunStore(folder).save(plain := make_run(label="m", params={"lam": 2.0}, stream_label="s"))
    for option in (("--method", "m"), ("--stream", "s")):
        called = command("results", "list", "--json", *option)
        assert [run["run_id"] for run in called.runs] == [plain.run_id]


@pytest.mark.parametrize("verb", [("list",), ("export", "-"), ("remove", "--yes")], ids=" ".join)
def test_a_status_that_no_run_can_have_is_refused(command, folder, verb):
    called = command("results", *verb, "--status", "finished")
    assert (called.code, called.out) == (2, "")
    sentence = "--status takes one of ok, failed, timeout, out-of-memory, crashed, not 'finished'."
    assert called.err == f"lcbench: {sentence}\n"
    assert len(ids(folder)) == 3


@pytest.mark.parametrize("options", [(), ("--all",), ("--json",)], ids=str)
def test_an_empty_folder_is_said_and_no_failure(command, tmp_path, options):
    called = command("results", "list", "--results", str(tmp_path), *options)
    assert (called.code, called.out, called.err) == (0, "", f"'{tmp_path}' holds no runs.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", [("list",), ("show", "abcd"), ("export", "x.csv"), ("remove", "--all")], ids=" ".join)
def test_a_folder_that_is_not_there_is_refused_and_not_made(command, tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    called = command("results", *verb)
    sentence = "--results names the one that holds your runs, and 'lcbench run' makes some."
    assert (called.code, called.out) == (2, "")
    assert called.err == f"lcbench: There is no folder 'lcbench-results': {sentence}\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_number_is_cut_however_narrow_it_is(command, folder, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    out = command("results", "list").out
    assert max(map(len, out.splitlines())) <= width
    assert OK_RUN.run_id[:10] in out
    assert "70.0" in out
    assert ("Left out to fit the width" in words(out)) == (width < 120)


def test_a_long_order_is_shortened_in_the_table(command, folder):
    RunStore(folder).save(make_run(order=tuple(f"task-{n}" for n in range(12)), scores={}))
    assert "task-0,task-1,... (12)" in command("results", "list").out


def test_what_a_stranger_wrote_cannot_steer_the_terminal(command, folder):
    run = make_run(repeat=7, label=ESCAPE, stream_label=ESCAPE, status=FAILED, error=ESCAPE, traceback=[ESCAPE])
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


def test_show_tells_what_ran_how_it_ended_and_where_the_files_are(command, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    run = replace(
        OK_RUN, repeat=1, baseline=FAILED_RUN.run_id, peak_bytes=5_000_000, note="mind this",
        audit={"measure": {"held_bytes": [0, 120], "task_bytes": [2000, 4000], "seconds": 0.5}},
        tune={"protocol": "oracle", "metric": "nmi", "grid": []},
        choice={"params": {"lam": 10.0}, "points": [{}] * 6, "run_id": "c" * 64, "search_seconds": 12.0},
    )  # fmt: skip
    RunStore(folder).save(run)
    called = command("results", "show", run.run_id[:4])
    assert (called.code, called.err) == (0, "")
    facts = [words(line) for line in called.out.splitlines()]
    for fact in (
        f"run {run.run_id}", "method m, called mine", "its parameters lam=1", "setting lifelong",
        "stream s, called s:tasks=2",
        "its parameters tasks=2", "its digest s-1", "order north, south", "seed 0", "repeat 1", "threads 1",
        "note mind this", "tuned by oracle, nmi", "points 6", "chosen lam=10", f"as in run {'c' * 64}", "search 12.0 s",
        "status ok", "finished 2026-01-01T00:00:00.000+00:00", "learning 3.000 s", "predicting 0.500 s",
        "scoring 0.200 s",
        "state 2.0 kB after the last task", "peak memory 5.0 MB",
        "s:tasks=2: purity in percent, by number of tasks learned", "mine north 50.0 60.0", "south 80.0",
        "average at arrival 65.0 30.0", "average after all 70.0 35.0", "backward transfer +10.0 +10.0",
        "north 1.000 0.000 0.100 10 B", "south 2.000 0.500 0.100 2.0 kB",
        "measure: held up to 120 B after a task, beside 6.0 kB of data; could reach no array of a task it had learned; "
        "took 0.500 s",
        "python 3.11", "packages numpy 2.0",
        f"record: lcbench-results/runs/{run.run_id}.json",
    ):  # fmt: skip
        assert fact in facts, fact


def test_show_has_the_baseline_of_a_real_run_in_column_0(command, tmp_path, blob_stream):
    results = lcbench.run("l2sc:n_neighbors=5", blob_stream, out=tmp_path)
    baseline, run = results
    out = command("results", "show", run.run_id, "--results", str(tmp_path)).out
    assert f"Column 0 is the single-task baseline ({baseline.label})." in out
    start = baseline.scores["purity"][0][0]
    assert re.search(rf"task-1 +{100 * start:.1f} ", out)
    assert f"labels: {tmp_path}/labels/{run.run_id}.npz" in out.splitlines()


def test_show_tells_of_a_failed_run_what_it_reached_and_why_it_ended(command, folder):
    facts = [words(line) for line in command("results", "show", FAILED_RUN.run_id).out.splitlines()]
    for fact in ("status failed, after 1 of 2 tasks", "error it broke", "line 1", "line 2", "theirs north 50.0"):
        assert fact in facts
    assert "Averages over tasks" not in facts


def test_show_of_a_run_that_reached_nothing_is_short(command, folder):
    called = command("results", "show", CRASHED_RUN.run_id)
    assert called.code == 0
    assert "status crashed, after 0 of 2 tasks" in words(called.out)
    assert "percent" not in called.out


def test_show_json_prints_what_is_stored(command, folder):
    out = command("results", "show", OK_RUN.run_id, "--json").out
    assert json.loads(out) == json.loads((folder / "runs" / f"{OK_RUN.run_id}.json").read_text())
    assert out.count("\n") == 1


def test_an_id_may_be_shortened_as_long_as_it_names_one_run(command, folder):
    runs = [replace(OK_RUN, seed=seed) for seed in range(1, 60)]
    first = next(r for i, r in enumerate(runs) if any(r.run_id[0] == s.run_id[0] for s in runs[:i]))
    assert command("results", "show", OK_RUN.run_id[:4].upper(), "--json").code == 0
    for prefix, sentence in {
        "": "Give at least 4 characters of a run's id, not ''.",
        first.run_id[:3]: f"Give at least 4 characters of a run's id, not '{first.run_id[:3]}'.",
        "zzzz": "There is no run 'zzzz' in 'lcbench-results': 'lcbench results list' has the ids.",
        OK_RUN.run_id + "0": f"There is no run '{OK_RUN.run_id}0'",
    }.items():
        for verb in ("show", "remove"):
            called = command("results", verb, prefix)
            assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
            assert sentence in called.err


def test_an_id_that_fits_several_runs_is_refused_with_what_tells_them_apart(command, folder):
    def four_alike():
        seen = {}
        for seed in range(100_000):
            run = replace(OK_RUN, seed=seed)
            if run.run_id[:4] in seen:
                return seen[run.run_id[:4]], run
            seen[run.run_id[:4]] = run
        raise AssertionError("no two alike")

    pair = four_alike()
    for run in pair:
        RunStore(folder).save(run)
    called = command("results", "show", pair[0].run_id[:4])
    assert (called.code, called.out) == (2, "")
    assert f"'{pair[0].run_id[:4]}' fits 2 runs" in called.err
    assert all(run.run_id[:10] in called.err for run in pair)


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


def test_export_writes_to_standard_output_and_nothing_else(command, folder):
    called = command("results", "export", "-", "--status", "crashed")
    (row,) = csv.DictReader(io.StringIO(called.out))
    assert (row["run_id"], row["status"], row["metric"], row["score"]) == (CRASHED_RUN.run_id, "crashed", "", "")
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
def test_an_export_that_cannot_be_is_one_sentence(command, folder, arguments, sentence):
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


def test_remove_takes_the_runs_that_are_named_with_all_that_belongs_to_them(command, folder):
    called = command("results", "remove", OK_RUN.run_id[:8], CRASHED_RUN.run_id, OK_RUN.run_id, "--yes")
    assert (called.code, called.err) == (0, "")
    assert called.out.splitlines() == [
        f"removed {OK_RUN.run_id[:10]}: mine on s:tasks=2, ok",
        f"removed {CRASHED_RUN.run_id[:10]}: mine on t, crashed",
    ]
    assert ids(folder) == {FAILED_RUN.run_id}
    assert len(list((folder / "environments").iterdir())) == 1


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (("--status", "failed"), {OK_RUN, CRASHED_RUN}),
        (("--method", "m", "--stream", "s"), {FAILED_RUN, CRASHED_RUN}),
        (("--all",), set()),
        (("--method", "nobody"), {OK_RUN, FAILED_RUN, CRASHED_RUN}),
    ],
    ids=str,
)
def test_remove_takes_the_runs_that_fit(command, folder, filters, kept):
    called = command("results", "remove", *filters, "--yes")
    assert called.code == 0
    assert called.out.count("removed") == 3 - len(kept)
    assert ids(folder) == {run.run_id for run in kept}


@pytest.mark.parametrize(
    "arguments", [(), ("--yes",), ("--all", "--method", "m"), ("abcd", "--all"), ("abcd", "-m", "m")]
)
def test_remove_must_be_told_what_in_one_way(command, folder, arguments):
    called = command("results", "remove", *arguments)
    assert called.code == 2
    assert called.err == ("lcbench: Say which runs to remove: ids, or --method, --stream and --status, or --all.\n")
    assert len(ids(folder)) == 3


def test_remove_refuses_where_nobody_can_be_asked(command, folder):
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


def test_remove_names_some_and_counts_the_rest(command, folder):
    for repeat in range(1, 31):
        RunStore(folder).save(replace(OK_RUN, repeat=repeat))
    lines = command("results", "remove", "--status", "ok", "--yes").out.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "removed 11 more, 31 together"


def test_a_damaged_file_costs_a_warning_and_nothing_else(command, folder):
    (folder / "runs" / f"{OK_RUN.run_id}.json").write_text("")
    called = command("results", "list", "--all")
    assert (called.code, len(called.out.splitlines())) == (0, 2)
    assert re.fullmatch(r"lcbench: warning: '.*' is damaged \(it is empty\) and was moved to '.*': .*\n", called.err)
    assert command("results", "list", "--all").err == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",), ("list", "--all", "--method", "m"), ("list", "--json", "--status", "ok"), ("show", OK_RUN.run_id),
        ("export", "x.csv"), ("remove", "--all", "--yes"),
    ],
    ids=lambda arguments: arguments[0] if len(arguments) == 1 else " ".join(arguments[:2])[:12],
)  # fmt: skip
def test_nothing_heavy_is_imported(folder, arguments):
    line = [sys.executable, "-c", REPORT, "results", *arguments]
    ended = subprocess.run(line, capture_output=True, text=True, check=True, cwd=folder.parent)
    assert ended.stderr.split("heavy:")[1].split() == []

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pytest

TASKS = ["task-1", "task-2", "task-3", "task-4"]
KEYS = {
    "run_id", "method", "params", "setting", "stream", "stream_params", "order", "seed", "repeat", "status", "scores",
    "labels_digest", "learn_seconds", "predict_seconds", "state_bytes", "objective_trace", "summary", "environment",
}  # fmt: skip


def table(text: str, title: str) -> dict[str, list[str]]:
    """The header and the rows of the table under `title`; cells that are empty are left out."""
    lines = text[text.index(title) :].splitlines()
    header = next(line for line in lines if line.split()[:2] == ["method", "task"])
    rows = {"header": header.split()[2:]}
    for line in lines[lines.index(header) + 2 :]:
        if not line.strip():
            break
        name, cells = re.search(r"(task-\d|average|gain over 0) +(.*)", line).groups()
        rows[name] = cells.split()
    return rows


def test_without_arguments_runs_l2sc_and_stsc_on_digits(command):
    called = command("run", "--json")
    assert called.code == 0
    assert {(run["method"], run["stream"]) for run in called.runs} == {("l2sc", "digits"), ("stsc", "digits")}
    assert len(called.runs) == 2


def test_one_table_per_metric_has_a_row_per_task_and_columns_from_0_to_all_tasks(command):
    out = command("run").out
    for metric in ("purity", "nmi", "ri"):
        rows = table(out, f"digits: {metric} in percent")
        assert list(rows) == ["header", *TASKS, "average", "gain over 0"]
        assert rows["header"] == ["0", "1", "2", "3", "4"]
        assert [len(rows[task]) for task in TASKS] == [5, 4, 3, 2]


def test_column_0_is_the_diagonal_of_the_single_task_run_and_the_rest_is_the_methods_matrix(command):
    stsc, l2sc = (run["scores"]["nmi"] for run in command("run", "--json").runs)
    rows = table(command("run").out, "digits: nmi in percent")
    for j, task in enumerate(TASKS):
        expected = [stsc[j][j], *(l2sc[i][j] for i in range(j, 4))]
        assert [float(cell) for cell in rows[task]] == pytest.approx([100 * score for score in expected], abs=0.051)


def test_the_average_row_has_the_means_of_the_columns(command):
    rows = table(command("run").out, "digits: purity in percent")
    numbers = {task: [float(cell) for cell in rows[task]] for task in TASKS}
    learned = [[numbers[task][m - j] for j, task in enumerate(TASKS[:m])] for m in range(1, 5)]
    columns = [[numbers[task][0] for task in TASKS], *learned]
    assert [float(cell) for cell in rows["average"]] == pytest.approx([np.mean(c) for c in columns], abs=0.11)


def test_seconds_and_averages_of_every_method_are_shown_below_the_tables(command):
    overview = command("run").out.split("averages over tasks, time and memory")[1]
    assert re.search(
        r"at +after +learn +predict *\n +method +runs +metric +arrival +all +backward +s +s +state", overview
    )
    assert [line.split()[0] for line in overview.splitlines() if " purity " in line] == ["stsc", "l2sc"]


def test_the_table_says_that_old_tasks_are_re_encoded_unless_they_are_frozen(command):
    assert "l2sc: old tasks re-encoded when asked" in command("run").out
    assert "re-encoded" not in command("run", "-m", "l2sc:encoding=frozen").out


@pytest.mark.parametrize("more", [(), ("--order", "random", "--repeats", "2"), ("-m", "l2sc:k=500", "-m", "stsc")])
def test_json_prints_one_object_per_run_and_nothing_else_on_stdout(command, more):
    called = command("run", "--json", *more)
    assert len(called.runs) == (4 if "random" in more else 2)
    for run in called.runs:
        assert set(run) >= KEYS


def test_the_json_of_a_run_has_a_value_per_step_and_figures_under_formula_ids(command):
    run = command("run", "--json", "-m", "l2sc").runs[-1]
    assert run["setting"] == "lifelong"
    assert run["order"] == TASKS
    assert run["stream_params"] == {"classes": [3, 5, 8, 9], "tasks": 4, "per_class": 20, "seed": 0}
    for key in ("learn_seconds", "predict_seconds", "state_bytes", "objective_trace"):
        assert len(run[key]) == 4
    R = run["scores"]["purity"]
    assert [[cell is None for cell in row] for row in R] == [[j > i for j in range(4)] for i in range(4)]
    arrival = run["summary"]["purity"]["average_at_arrival"]
    assert arrival == {"value": pytest.approx(np.mean([R[i][i] for i in range(4)])), "formula": "mean-diagonal"}


def test_a_failed_run_is_an_object_with_its_error_and_the_exit_code_is_1(command):
    called = command("run", "--json", "-m", "l2sc:k=500", "-m", "kmeans")
    assert called.code == 1
    assert {run["method"]: run["status"] for run in called.runs} == {"stsc": "ok", "l2sc": "failed", "kmeans": "ok"}
    failed = next(run for run in called.runs if run["status"] == "failed")
    assert failed["error"] in called.err
    assert failed["summary"] == {}


def test_out_writes_every_run_with_its_labels_and_environment(command, tmp_path):
    called = command("run", "--json", "--out", str(tmp_path / "new" / "results"))
    folder = tmp_path / "new" / "results"
    for run in called.runs:
        written = json.loads((folder / "runs" / f"{run['run_id']}.json").read_text())
        environment = json.loads((folder / "environments" / f"{written['environment']}.json").read_text())
        assert {**written, "environment": environment} == run
        with np.load(folder / "labels" / f"{run['run_id']}.npz") as labels:
            assert len(labels.files) == 10
            assert labels["step-4-task-1"].shape == (80,)
    assert sum(path.is_file() for path in folder.rglob("*")) == 2 + 2 + 1 + 1  # the last is the index


@pytest.mark.parametrize(("evaluate", "scored"), [("last", [4]), ("every:2", [2, 4]), ("every:3", [3, 4])])
def test_evaluate_leaves_nulls_where_nothing_was_scored_and_completes_the_last_row(command, evaluate, scored):
    for run in command("run", "--json", "--evaluate", evaluate).runs:
        for i, row in enumerate(run["scores"]["ri"]):
            seen = i + 1 if i + 1 in scored else 0
            assert [cell is not None for cell in row] == [j < seen for j in range(4)]


def test_future_scores_later_tasks_where_the_method_can(command):
    runs = {
        run["method"]: run["scores"]["nmi"]
        for run in command("run", "--json", "--future", "-m", "l2sc", "-m", "usc").runs
    }
    assert all(cell is not None for row in runs["l2sc"] for cell in row)
    assert [[cell is None for cell in row] for row in runs["usc"]] == [[j > i for j in range(4)] for i in range(4)]


def test_a_metric_that_is_named_is_computed_and_shown_instead_of_the_usual_ones(command):
    out = command("run", "--metric", "silhouette").out
    assert "digits: silhouette, by number" in out
    assert "purity" not in out
    assert "silhouette" in command("run", "--json", "--metric", "silhouette").runs[0]["scores"]
    assert "silhouette" not in command("run", "--json", "--fresh").runs[0]["scores"]


def test_a_listed_order_may_name_a_part_of_the_tasks(command):
    called = command("run", "--json", "--order", "task-3,task-1")
    assert [run["order"] for run in called.runs] == [["task-3", "task-1"]] * 2
    rows = table(command("run", "--order", "task-3,task-1").out, "digits: ri")
    assert list(rows) == ["header", "task-3", "task-1", "average", "gain over 0"]


def test_a_baseline_takes_the_parameters_it_shares_and_is_an_ordinary_run(command):
    baseline, run = command("run", "--json", "-m", "l2sc:affinity=full,lam=2").runs
    assert (baseline["method"], baseline["label"]) == ("stsc", "stsc:affinity=full")
    assert baseline["params"] == {key: run["params"][key] for key in baseline["params"]}
    assert run["baseline_run_id"] == baseline["run_id"]
    alone = command("run", "--json", "-m", "stsc:affinity=full").runs
    assert [r["run_id"] for r in alone] == [baseline["run_id"]]


def test_without_baselines_only_what_was_asked_for_is_run(command):
    runs = command("run", "--json", "--no-baseline", "-m", "l2sc").runs
    assert [run["method"] for run in runs] == ["l2sc"]


def test_an_alias_is_shown_in_place_of_the_method(command):
    called = command("run", "-m", "mine=l2sc:lam=2", "--metric", "ri")
    assert re.search(r"^ mine +task-1 ", called.out, re.MULTILINE)
    assert "digits: mine: done" in called.err


def test_another_process_gets_the_same_labels_bit_for_bit(command):
    arguments = ["run", "--json", "-m", "l2sc", "-m", "kmeans"]
    process = [sys.executable, "-m", "lcbench", *arguments]
    other = subprocess.run(process, capture_output=True, text=True, check=True)
    here = command(*arguments).runs
    there = [json.loads(line) for line in other.stdout.splitlines()]
    assert [run["labels_digest"] for run in there] == [run["labels_digest"] for run in here]


def test_the_help_shows_what_is_run_by_default(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    out = command("run", "--help").out
    assert "[default: l2sc, stsc]" in out
    assert "[default: digits]" in out
    assert "[default: (purity, nmi, ri; silhouette without labels)]" in out

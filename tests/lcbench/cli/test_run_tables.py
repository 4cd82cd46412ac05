from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from lcbench.api.results import Results
from lcbench.cli.run_tables import lifelong_tables, tuning_tables
from lcbench.experiment.tuning import Gap
from lcbench.records.record import FAILED, RunRecord

GAPS = [
    Gap("digits", "l2sc", metric, points=58, runs=10, oracle=0.8, first_task=0.75, silhouette=0.7, untuned=0.6)
    for metric in ("purity", "nmi")
]


def record(R: list[list[float | None]], order: tuple[str, ...], **changes) -> RunRecord:
    facts = {
        "method": "m", "revision": 1, "params": {}, "setting": "lifelong", "stream": "s", "stream_params": {},
        "stream_digest": "", "order": order, "seed": 0, "repeat": 0, "label": "m", "stream_label": "s",
        "scores": {"purity": R}, "learn_seconds": [0.5] * len(R), "predict_seconds": [0.25] * len(R),
        "state_bytes": [1500] * len(R),
    }  # fmt: skip
    return RunRecord(**{**facts, **changes})


def shown(*runs: RunRecord, width: int = 80, color: str | None = None) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False, force_terminal=color is not None, color_system=color)
    for renderable in lifelong_tables(Results(runs, ["purity"]), width):
        console.print(renderable)
    return file.getvalue()


def row(text: str, name: str) -> list[str]:
    return next(line.split(name, 1)[1].split() for line in text.splitlines() if name in line.split())


def triangle(size: int) -> list[list[float | None]]:
    return [[0.5 if j <= i else None for j in range(size)] for i in range(size)]


def test_cells_and_averages_of_a_hand_made_run():
    text = shown(record([[0.5, None], [0.75, 0.25]], ("a", "b")))
    assert row(text, "a") == ["50.0", "75.0"]
    assert row(text, "b") == ["25.0"]
    assert row(text, "average") == ["50.0", "50.0"]
    overview = text.split("averages over tasks")[1]
    assert row(overview, "purity") == ["37.5", "50.0", "+25.0", "1.000", "0.500", "1.5", "kB"]


def test_a_rise_is_green_and_a_fall_is_red():
    text = shown(record([[0.5, None], [0.75, 0.25]], ("a", "b")), color="standard")
    assert "\x1b[32m75.0" in text
    assert "\x1b[31m" not in text
    assert "\x1b[31m25.0" in shown(record([[0.5, None], [0.25, 0.25]], ("a", "b")), color="standard")


def test_with_several_orders_a_cell_is_the_mean_of_the_runs_that_had_learned_the_task():
    first = record([[0.5, None], [0.6, 0.2]], ("a", "b"))
    second = record([[0.4, None], [0.3, 0.8]], ("b", "a"), repeat=1)
    text = shown(first, second)
    assert row(text, "a") == ["50.0", "(1)", "70.0"]
    assert row(text, "b") == ["40.0", "(1)", "25.0"]
    assert "A cell is the mean over the runs that had learned the task by then" in text


def test_the_baseline_is_column_0_and_has_no_rows_of_its_own():
    baseline = record([[0.1, None], [0.1, 0.3]], ("a", "b"), method="base", label="base")
    text = shown(baseline, record([[0.5, None], [0.75, 0.25]], ("a", "b"), baseline=baseline.run_id))
    assert row(text, "a") == ["10.0", "50.0", "75.0"]
    assert row(text, "b") == ["30.0", "25.0"]
    assert text.count(" a ") == 1
    assert row(text, "gain") == ["over", "0", "+40.0", "+30.0"]
    assert "Column 0 is the single-task baseline (base)." in text


def test_tasks_still_to_come_are_in_brackets_and_not_in_the_average():
    text = shown(record([[0.5, 0.9], [0.75, 0.25]], ("a", "b"), future=True))
    assert row(text, "b") == ["[90.0]", "25.0"]
    assert row(text, "average") == ["50.0", "50.0"]
    assert "In brackets: tasks not learned yet." in text


def test_a_failed_run_is_counted_and_does_not_enter_the_means():
    broken = record([[0.9, None]], ("a", "b"), status=FAILED, repeat=1)
    text = shown(record([[0.5, None], [0.75, 0.25]], ("a", "b")), broken, width=120)
    assert row(text, "a") == ["50.0", "75.0"]
    assert "1 + 1 failed" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_table_with_many_tasks_fits_and_keeps_its_first_and_last_column(width):
    text = shown(record(triangle(20), tuple(f"t{i}" for i in range(20)), label="method"), width=width)
    lifelong = text.split("averages over tasks")[0]
    header = row(lifelong, "task")
    assert (header[0], header[-1]) == ("1", "20")
    assert 3 <= len(header) < 20
    assert max(map(len, lifelong.splitlines())) <= width
    assert "…" not in lifelong


def test_a_table_with_very_many_tasks_shows_the_first_and_last_of_them():
    text = shown(record(triangle(45), tuple(f"t{i}" for i in range(45))), width=200)
    assert "(25 tasks more)" in text
    assert [f"t{i}" for i in range(45) if f" t{i} " in text] == [f"t{i}" for i in (*range(10), *range(35, 45))]


def test_markup_in_names_is_shown_as_text():
    text = shown(record([[0.5]], ("[bold]a[/bold]",), label="[blink]m", stream_label="[red]x[/red]", note="[u]n"))
    for name in ("[bold]a[/bold]", "[blink]m", "[red]x[/red]", "[u]n"):
        assert name in text


def test_terminal_escapes_in_names_do_not_reach_the_terminal():
    text = shown(record([[0.5]], ("a\x1b]0;title\x07",), label="m\x1b[2J", stream_label="s\x1b[31m", note="n\x1b[0m"))
    assert "\x1b" not in text
    assert "\x07" not in text
    for name in (
        "a\N{REPLACEMENT CHARACTER}]0;title",
        "m\N{REPLACEMENT CHARACTER}[2J",
        "s\N{REPLACEMENT CHARACTER}[31m",
    ):
        assert name in text


def test_for_more_than_eight_methods_there_is_one_table_and_the_command_that_shows_the_rest():
    runs = [record(triangle(2), ("a", "b"), method=f"m{i}", label=f"m{i}") for i in range(9)]
    assert "by number of tasks learned" in shown(*runs[:8])
    text = shown(*runs)
    assert "by number of tasks learned" not in text
    assert text.count("averages over tasks") == 1
    assert all(row(text, f"m{i}")[1] == "purity" for i in range(9))
    assert "'lcbench results show ID'" in " ".join(text.split())


def tuned(label: str = "l2sc (oracle)") -> RunRecord:
    points = [{"params": {"lam": 0.5}, "run_id": "", "status": "ok", "value": 0.8}]
    choice = {"params": {"lam": 0.5}, "run_id": "", "metric": "purity", "points": points, "search_seconds": 3.0}
    return RunRecord(
        method="l2sc", revision=1, params={}, setting="lifelong", stream="s", stream_params={}, stream_digest="",
        order=("a", "b"), seed=0, repeat=0, label=label, stream_label="digits", choice=choice,
    )  # fmt: skip


def shown_tuning(runs, gaps, width: int = 120) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False)
    for renderable in tuning_tables(runs, gaps, width):
        console.print(renderable)
    return file.getvalue()


def test_tuning_tables_show_the_chosen_point_and_the_oracle_gap():
    text = shown_tuning([tuned()], GAPS)
    rows = [line.split() for line in text.splitlines()]
    assert ["digits", "l2sc", "(oracle)", "1", "1", "lam=0.5", "–", "3.000"] in rows
    assert ["digits", "l2sc", "10", "58", "purity", "80.0", "75.0", "70.0", "60.0", "+5.0", "+10.0"] in rows
    assert ["nmi", "80.0", "75.0", "70.0", "60.0", "+5.0", "+10.0"] in rows
    assert "oracle: with labels; first-task: with labels of the first task; silhouette: without labels." in text


@pytest.mark.parametrize("width", [60, 70, 80, 100])
def test_in_a_narrow_window_tuning_tables_drop_columns_and_cut_no_number(width):
    text = shown_tuning([tuned()], GAPS, width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    row = next(line.split() for line in text.splitlines() if "nmi" in line.split())
    assert row[:1] == ["nmi"]
    assert {"80.0", "70.0", "+10.0"} <= set(row)
    if width < 80:
        assert "Left out to fit the width: runs, points" in " ".join(text.split())


def test_without_tuned_runs_there_is_no_tuning_table():
    assert shown_tuning([], []) == ""


def test_terminal_escapes_in_the_name_of_a_tuned_method_do_not_reach_the_terminal():
    assert "\x1b" not in shown_tuning([tuned("l2sc\x1b[2J (oracle)")], [])

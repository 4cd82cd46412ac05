from __future__ import annotations

import io

import pytest
from making import make_record
from rich.cells import cell_len
from rich.console import Console

from lcbench.api.results import Results
from lcbench.cli.console import print_sheets
from lcbench.cli.run_tables import print_results, result_sheets
from lcbench.experiment.tuning import RULES, Gap
from lcbench.records.record import FAILED, RunRecord

HALF = [[0.5, None], [0.75, 0.25]]
GAPS = [
    Gap("digits", "l2sc", metric, 58, 10, means=dict(zip(RULES, (0.8, 0.75, 0.7), strict=True)), untuned=0.6)
    for metric in ("purity", "nmi")
]


def record(R=HALF, order="ab", **changes) -> RunRecord:
    return make_record(
        changes.pop("label", "m"), R, order=order,
        **{"learn_seconds": [0.5] * 2, "predict_seconds": [0.25] * 2, "state_bytes": [1500] * 2} | changes,
    )  # fmt: skip


def shown(*runs: RunRecord, width: int = 80, color: str | None = None, gaps=()) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False, force_terminal=color is not None, color_system=color)
    print_sheets(result_sheets(Results(runs, ["purity"], gaps=gaps)), console)
    return file.getvalue()


def row(text: str, name: str) -> list[str]:
    return next(line.split(name, 1)[1].split() for line in text.splitlines() if name in line.split())


def triangle(size: int) -> list[list[float | None]]:
    return [[0.5 if j <= i else None for j in range(size)] for i in range(size)]


def test_cells_and_averages_of_a_hand_made_run():
    text = shown(record())
    assert row(text, "a") == ["50.0", "75.0"]
    assert row(text, "b") == ["25.0"]
    assert row(text, "average") == ["50.0", "50.0"]
    overview = text.split("averages over tasks")[1]
    assert row(overview, "purity") == ["37.5", "50.0", "+25.0", "1.000", "0.500", "1.5", "kB"]


@pytest.mark.parametrize(("second", "colour"), [(0.75, "\x1b[32m75.0"), (0.25, "\x1b[31m25.0")])
def test_a_rise_is_green_and_a_fall_is_red(second, colour):
    text = shown(record([[0.5, None], [second, 0.25]]), color="standard")
    assert colour in text
    assert ("\x1b[32m" in text) != ("\x1b[31m" in text)


def test_with_several_orders_a_cell_is_the_mean_of_the_runs_that_had_learned_the_task():
    text = shown(record([[0.5, None], [0.6, 0.2]]), record([[0.4, None], [0.3, 0.8]], "ba", repeat=1), width=120)
    assert row(text, "a") == ["50.0", "(1)", "70.0"]
    assert row(text, "b") == ["40.0", "(1)", "25.0"]
    assert "A cell is the mean over the runs that had learned the task by then" in text


def test_the_baseline_is_column_0_and_has_no_rows_of_its_own():
    baseline = record([[0.1, None], [0.1, 0.3]], label="base")
    text = shown(baseline, record(baseline=baseline.run_id))
    assert row(text, "a") == ["10.0", "50.0", "75.0"]
    assert row(text, "b") == ["30.0", "25.0"]
    assert text.count(" a ") == 1
    assert row(text, "gain") == ["over", "0", "+40.0", "+30.0"]
    assert "Column 0 is the single-task baseline (base)." in text


def test_tasks_still_to_come_are_in_brackets_and_not_in_the_average():
    text = shown(record([[0.5, 0.9], [0.75, 0.25]], future=True))
    assert row(text, "b") == ["[90.0]", "25.0"]
    assert row(text, "average") == ["50.0", "50.0"]
    assert "In brackets: tasks not learned yet." in text


def test_a_failed_run_is_counted_and_does_not_enter_the_means():
    text = shown(record(), record([[0.9, None]], status=FAILED, repeat=1), width=120)
    assert row(text, "a") == ["50.0", "75.0"]
    assert "1 + 1 failed" in text


@pytest.mark.parametrize("width", [60, 120])
def test_a_table_with_many_tasks_fits_and_keeps_its_first_and_last_column(width):
    text = shown(record(triangle(20), [f"t{i}" for i in range(20)], label="method"), width=width)
    lifelong = text.split("averages over tasks")[0]
    header = row(lifelong, "task")
    assert (header[0], header[-1]) == ("1", "20")
    assert 3 <= len(header) < 20
    assert max(map(len, lifelong.splitlines())) <= width
    assert len(header) + len(lifelong.split("Left out to fit the width: ")[1].split(",")) == 20
    assert "…" not in lifelong


def test_a_table_with_very_many_tasks_shows_the_first_and_last_of_them():
    text = shown(record(triangle(45), [f"t{i}" for i in range(45)]), width=200)
    assert "(25 tasks more)" in text
    assert [f"t{i}" for i in range(45) if f" t{i} " in text] == [f"t{i}" for i in (*range(10), *range(35, 45))]


def test_markup_and_escapes_in_names_are_shown_as_text():
    odd = {"label": "[blink]m\x1b[2J", "stream_label": "[red]x[/red]\x1b[31m", "note": "[u]n\x1b[0m"}
    text = shown(record([[0.5]], ["[bold]a[/bold]\x1b]0;title\x07"], **odd))
    assert not {"\x1b", "\x07"} & set(text)
    for name in ("[blink]m?[2J", "[red]x[/red]?[31m", "[u]n?[0m", "[bold]a[/bold]?]0;title?"):
        assert name.replace("?", "\N{REPLACEMENT CHARACTER}") in text


def test_for_more_than_eight_methods_there_is_one_table_and_the_command_that_shows_the_rest():
    runs = [record(label=f"m{i}") for i in range(9)]
    assert "by number of tasks learned" in shown(*runs[:8])
    text = shown(*runs)
    assert "by number of tasks learned" not in text
    assert text.count("averages over tasks") == 1
    assert all(row(text, f"m{i}")[1] == "purity" for i in range(9))
    assert "'lcbench results show ID'" in " ".join(text.split())


def test_many_methods_with_the_same_note_are_not_all_named():
    text = shown(*(record(label=f"m{i}", note="mind this") for i in range(5)))
    assert "m0, m1, m2 and 2 more: mind this." in text


@pytest.mark.parametrize("width", [62, 80, 120])
def test_tuned_runs_have_the_chosen_point_and_the_oracle_gap_in_which_no_number_is_cut(width):
    points = [{"params": {"lam": 0.5}, "run_id": "", "status": "ok", "value": 0.8}]
    choice = {"params": {"lam": 0.5}, "run_id": "", "metric": "purity", "points": points, "search_seconds": 3.0}
    text = shown(record(label="l2sc (oracle)", stream="digits", choice=choice), gaps=GAPS, width=width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    rows = [line.split() for line in text.splitlines()]
    assert ["digits", "l2sc", "(oracle)", "1", "1", "lam=0.5", "–", "3.000"] in rows
    gap = next(row for row in rows if row[:1] == ["nmi"])
    assert {"80.0", "70.0", "+10.0"} <= set(gap)
    if width == 120:
        assert ["digits", "l2sc", "10", "58", "purity", "80.0", "75.0", "70.0", "60.0", "+5.0", "+10.0"] in rows
        assert "oracle: with labels; first-task: with labels of the first task; silhouette: without labels." in text
    else:
        assert "Left out to fit the width: runs, points" in " ".join(text.split())


def test_the_audit_comes_after_the_tables(capsys):
    measure = {"held_bytes": [0, 0], "task_bytes": [5000] * 2, "clusters": [3] * 2, "complete": True, "seconds": 0.1}
    print_results(Results([record(setting="single-task", audit={"measure": measure})], ["purity"]))
    tables, audit = capsys.readouterr().out.split("Audit: every method keeps")
    assert "averages over tasks" in tables
    assert "m nothing" in audit

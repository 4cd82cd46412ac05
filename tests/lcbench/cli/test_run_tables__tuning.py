from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from lcbench.cli.run_tables import tuning_tables
from lcbench.experiment.tuning import Gap
from lcbench.records.record import RunRecord

GAPS = [
    Gap("digits", "l2sc", metric, points=58, runs=10, oracle=0.8, first_task=0.75, silhouette=0.7, untuned=0.6)
    for metric in ("purity", "nmi")
]


def tuned(label: str = "l2sc (oracle)") -> RunRecord:
    points = [{"params": {"lam": 0.5}, "run_id": "", "status": "ok", "value": 0.8}]
    choice = {"params": {"lam": 0.5}, "run_id": "", "metric": "purity", "points": points, "search_seconds": 3.0}
    return RunRecord(
        method="l2sc", revision=1, params={}, setting="lifelong", stream="s", stream_params={}, stream_digest="",
        order=("a", "b"), seed=0, repeat=0, label=label, stream_label="digits", choice=choice,
    )  # fmt: skip


def shown(runs, gaps, width: int = 120) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False)
    for renderable in tuning_tables(runs, gaps, width):
        console.print(renderable)
    return file.getvalue()


def test_the_choice_and_the_gap_are_shown():
    text = shown([tuned()], GAPS)
    rows = [line.split() for line in text.splitlines()]
    assert ["digits", "l2sc", "(oracle)", "1", "1", "lam=0.5", "–", "3.000"] in rows
    assert ["digits", "l2sc", "10", "58", "purity", "80.0", "75.0", "70.0", "60.0", "+5.0", "+10.0"] in rows
    assert ["nmi", "80.0", "75.0", "70.0", "60.0", "+5.0", "+10.0"] in rows
    assert "oracle: with labels; first-task: with labels of the first task; silhouette: without labels." in text


@pytest.mark.parametrize("width", [60, 70, 80, 100])
def test_where_it_is_narrow_columns_give_way_and_no_number_is_cut(width):
    text = shown([tuned()], GAPS, width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    row = next(line.split() for line in text.splitlines() if "nmi" in line.split())
    assert row[:1] == ["nmi"]
    assert {"80.0", "70.0", "+10.0"} <= set(row)
    if width < 80:
        assert "Left out to fit the width: runs, points" in " ".join(text.split())


def test_nothing_is_shown_where_nothing_was_tuned():
    assert shown([], []) == ""


def test_a_name_cannot_steer_the_terminal():
    assert "\x1b" not in shown([tuned("l2sc\x1b[2J (oracle)")], [])

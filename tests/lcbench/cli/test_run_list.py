from __future__ import annotations

import json
import re

import pytest

from lcbench.cli.run_list import json_lines, plain_lines, table
from lcbench.records.store import RunStore


def words(text):
    return " ".join(text.split())


def test_list_shows_the_runs_the_newest_first(command, folder, runs):
    called = command("results", "list")
    assert (called.code, called.err) == (0, "")
    rows = [words(line) for line in called.out.splitlines() if re.match(r" [0-9a-f]{10} ", line)]
    assert [row.split()[0] for row in rows] == [run.run_id[:10] for run in reversed(runs)]
    assert " ok mine s:tasks=2 north,south 0 70.0 35.0 3.000 20" in rows[2]  # ri was not computed: no column for it
    assert " failed theirs s:tasks=2 north,south 0 – – 1.000 20" in rows[1]


def test_list_all_prints_plain_lines_with_tabs(command, folder, runs):
    called = command("results", "list", "--all")
    lines = [line.split("\t") for line in called.out.splitlines()]
    assert [line[0] for line in lines] == [run.run_id for run in reversed(runs)]
    assert lines[2][1:10] == ["ok", "mine", "s:tasks=2", "north,south", "0", "70.0", "35.0", "–", "3.000"]
    assert re.fullmatch(r"20\d\d-\d\d-\d\d \d\d:\d\d", lines[2][10])


def test_list_json_has_an_object_per_line(command, folder, runs):
    listed = command("results", "list", "--json").runs
    assert [run["run_id"] for run in listed] == [run.run_id for run in reversed(runs)]
    assert (listed[2]["after_all"], listed[2]["order"]) == ({"purity": 0.7, "nmi": 0.35}, ["north", "south"])


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_narrow_list_drops_columns_and_cuts_no_number(command, folder, monkeypatch, width, runs):
    monkeypatch.setenv("COLUMNS", str(width))
    out = command("results", "list").out
    assert max(map(len, out.splitlines())) <= width
    assert runs.ok.run_id[:10] in out
    assert "70.0" in out
    assert ("Left out to fit the width" in words(out)) == (width < 120)


def test_a_long_order_is_shortened_in_the_table(command, folder, make_record):
    RunStore(folder).save(make_record(order=tuple(f"task-{n}" for n in range(12)), scores={}))
    assert "task-0,task-1,... (12)" in command("results", "list").out


def entries(folder) -> list:
    return RunStore(folder).index().newest_first()


def test_the_usual_metrics_are_columns_and_silhouette_is_one_for_streams_without_labels(folder):
    run_id, entry = entries(folder)[-1]

    def shown(**after_all: float | None) -> list[str]:
        grid, _ = table([(run_id, entry._replace(after_all=after_all))], 300)
        return [str(column.header) for column in grid.columns][6:-2]

    assert shown(ri=0.5, ari=0.5, purity=0.5) == ["purity", "ri"]
    assert shown(purity=None, nmi=None, ri=None, silhouette=0.1) == ["silhouette"]
    assert shown() == []


@pytest.mark.parametrize("width", [20, 60, 80, 100, 200])
def test_every_column_is_either_in_the_table_or_named_as_left_out(folder, width):
    grid, left_out = table(entries(folder), width)
    kept = [str(column.header) for column in grid.columns]
    names = ["id", "status", "method", "stream", "order", "repeat", "purity", "nmi", "learn s", "when"]
    assert sorted(kept + left_out) == sorted(names)
    assert kept == [name for name in names if name in kept]
    assert (left_out == []) == (width == 200)


@pytest.mark.parametrize("count", [1, 2, 3, 12, 1000])
def test_an_order_fits_its_column_and_begins_with_the_first_task(folder, count):
    run_id, entry = entries(folder)[-1]
    order = tuple(f"a-long-name-{n}" for n in range(count))
    grid, _ = table([(run_id, entry._replace(order=order))], 300)
    (cell,) = next(column for column in grid.columns if str(column.header) == "order").cells
    assert len(cell) <= 24
    assert cell.plain.startswith("a-long-name-0"[:10])
    assert count == 1 or cell.plain.endswith(f",... ({count})")


def test_plain_and_json_lines_have_the_whole_id_and_order(folder, runs):
    run_id, entry = entries(folder)[-1]
    long = entry._replace(order=tuple(f"a-long-name-{n}" for n in range(12)))
    (line,) = plain_lines([(run_id, long)])
    assert line.split("\t")[0] == runs.ok.run_id
    assert line.split("\t")[4].split(",") == list(long.order)
    (text,) = json_lines([(run_id, long)])
    assert json.loads(text)["order"] == list(long.order)

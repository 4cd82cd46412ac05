"""The tables of figures in the docs are those of their files, and each file says what makes it."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from making import make_record, make_results

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def scripts(monkeypatch):
    """Imports the scripts of the folder."""
    monkeypatch.syspath_prepend(str(DOCS))
    return import_module


def test_every_page_has_the_tables_of_the_files(scripts):
    """`python docs/make_tables.py` fills the pages."""
    tables = scripts("make_tables")
    for page in tables.pages():
        assert tables.filled(page) == (DOCS / page).read_text(encoding="utf-8"), page


def test_every_marked_table_has_a_file_and_every_file_is_shown(scripts):
    tables = scripts("make_tables")
    pages = "\n".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    shown = sorted(name for name, table in tables.TABLES.items() if table.page)
    assert sorted(re.findall(r"<!-- table: (\S+) -->", pages)) == shown
    assert all(f"](tables/{name}.csv)" in pages for name in set(tables.TABLES) - set(shown))
    assert sorted(re.findall(r"<!-- output: (\S+) -->", pages)) == sorted(tables.OUTPUTS)
    assert {path.name for path in (DOCS / "tables").iterdir()} == {
        *(f"{name}.csv" for name in tables.TABLES),
        *(f"{name}.txt" for name in tables.OUTPUTS),
    }


def test_the_command_of_a_file_makes_it(scripts):
    """A script that is named has a maker of the name that follows it; `transfer` makes a file for each stream."""
    named = {
        name: re.fullmatch(r"docs/(\w+)\.py (\S+).*", made.made_by)
        for name, made in scripts("make_tables").TABLES.items()
    }
    assert [name for name, found in named.items() if found is None] == ["cpsc-settings"]
    for name, found in named.items():
        if found is not None:
            assert found[2] in ("transfer", name)
            assert found[2] in scripts(found[1]).MAKERS


def test_averages_that_a_paper_misprints_are_those_of_its_figures(scripts):
    made = scripts("make_measured_tables").MAKERS["paper-averages"]()
    assert list(made) == scripts("make_tables").read_file("paper-averages")


def test_what_a_million_runs_cost_is_a_million_times_what_one_does(scripts):
    each = {
        "scoring": 0.037, "writing": 0.0168, "CPU here": 0.011, "CPU of the scheduler": 0.007, "messages out": 2.31,
        "bytes out": 1710.0, "messages in": 4.0, "bytes in": 2400.0, "memory here": 18_000.0,
        "memory of the scheduler": 1400.0, "files": 2.0, "bytes of files": 10_000.0,
    }  # fmt: skip
    made = {(cell.row, cell.column): cell.value for cell in scripts("make_measured_tables").cluster_cells(each)}
    assert {key: made[key] for key in made if key[0].startswith(("scoring", "writing", "messages", "memory of"))} == {
        ("scoring, two at a time here (one for each core, four at most)", "per run"): "37 ms",
        ("scoring, two at a time here (one for each core, four at most)", "a million runs"): "5 hours",
        ("writing the record and its labels", "per run"): "17 ms",
        ("writing the record and its labels", "a million runs"): "5 hours; 10 GB in 2 million files",
        ("messages to the scheduler, and back", "per run"): "2.3 of together 1.7 kB, 4 of together 2.4 kB",
        ("messages to the scheduler, and back", "a million runs"): "4 GB",
        ("memory of the scheduler", "per run"): "1.4 kB",
        ("memory of the scheduler", "a million runs"): "1.4 GB",
    }
    assert list(made) == [(cell.row, cell.column) for cell in scripts("make_tables").read_file("cluster")]


def test_figures_come_from_the_runs_of_a_folder(scripts, monkeypatch):
    """After all tasks l2sc has a mean of .6 and .7 by NMI: 65.0; the other runs are not asked for."""
    plan = scripts("make_run_tables")
    make_results(
        make_record("l2sc", [[0.5, None], [0.4, 0.8]], metric="nmi", stream="reuters"),
        make_record("l2sc", [[0.5, None], [0.9, 0.5]], metric="nmi", stream="reuters", repeat=1),
        make_record("l2sc", [[0.1, None], [0.1, 0.1]], metric="nmi", stream="elsewhere"),
    )
    monkeypatch.setitem(plan.PLANS, "whose-splits", (plan.whose_splits, ("nmi",)))
    (cell,) = plan.planned_cells("whose-splits", plan.lcbench.load_results("lcbench-results"))
    assert (cell.row, cell.column, cell.metric, cell.value) == ("`l2sc`", "`reuters`", "nmi", "65.0")

from __future__ import annotations

import pytest

from lcbench.analysis.selection import select
from lcbench.records.formulas import FORMULAS
from lcbench.report.page.fact_sheets import audit_of, environment_sheet, failure_sheet, formula_sheet, tuning_of

AB = ("a", "b")


@pytest.fixture
def ab_run(make):
    """A run over two tasks."""

    def run(label="m", **others):
        return make(label, **{"order": AB, "stream_tasks": AB, "stream_label": "s", **others})

    return run


def column(sheet, name):
    return [row[sheet.header.index(name)].text for row in sheet.rows]


def measured(*held):
    """An audit that found so many bytes held after each task, of tasks of 50 kB."""
    zeros = [0] * len(held)
    measure = {
        "task_bytes": [50_000] * len(held), "clusters": [3] * len(held), "state_bytes_before": 100,
        "held_bytes": list(held), "reachable": zeros, "first_reachable": None, "complete": True, "seconds": 0.01,
    }  # fmt: skip
    return {"measure": measure}


def test_a_method_that_keeps_more_than_it_promises_is_marked_and_explained(ab_run):
    good = ab_run("good", method="good", setting="single-task", state_bytes=[100, 100], audit=measured(0, 0))
    bad = ab_run("bad", method="bad", setting="single-task", audit=measured(60_000, 120_000))
    sheet = audit_of(select([good, bad, ab_run("plain", method="plain")]))
    assert column(sheet, "method") == ["bad", "good"]
    promised = [row[sheet.header.index("as promised")] for row in sheet.rows]
    assert [(cell.text, cell.tone) for cell in promised] == [("NO", "bad"), ("yes", "good")]
    (note,) = sheet.notes
    assert note.startswith("Promise broken: bad on s ")


def test_there_is_no_sheet_without_audits_tuning_or_failures(ab_run):
    selection = select([ab_run()])
    assert (audit_of(selection), tuning_of(selection), failure_sheet(selection)) == (None, None, None)


def test_tuned_methods_are_listed_with_their_choice_and_the_note_of_their_runs(ab_run):
    points = [{"params": {"lam": lam}, "run_id": "", "status": "ok", "value": lam} for lam in (0.5, 2.0)]
    choice = {"params": {"lam": 2.0}, "points": points, "search_seconds": 3.0}
    runs = [
        ab_run(
            "m (oracle)", repeat=r, note="chosen with labels", choice=choice, tune={"protocol": "oracle", "grid": []}
        )
        for r in range(2)
    ]
    sheet = tuning_of(select([*runs, ab_run("plain", method="plain")]))
    assert (column(sheet, "method"), column(sheet, "chosen"), column(sheet, "runs")) == (
        ["m (oracle)"],
        ["lam=2"],
        ["2"],
    )
    assert "m (oracle): chosen with labels." in sheet.notes


def test_failed_runs_are_grouped_by_status_and_error_with_the_tasks_they_learned(ab_run):
    runs = [
        ab_run(repeat=0, status="failed", error="broke\n  twice", learn_seconds=[]),
        ab_run(repeat=1, status="failed", error="broke twice", learn_seconds=[0.1]),
        ab_run(repeat=2, status="timeout", error=None, learn_seconds=[0.1]),
        ab_run(repeat=3),
    ]
    sheet = failure_sheet(select(runs))
    assert [tuple(cell.text for cell in row) for row in sheet.rows] == [
        ("s", "m", "2", "failed", "0 to 1 of 2", "broke twice"),
        ("s", "m", "1", "timeout", "1 of 2", "–"),
    ]


def test_every_environment_is_listed_with_its_runs(make, make_page):
    runs = [make("m", ("a", "b"), repeat=r, stream_tasks=("a", "b")) for r in range(3)]
    runs[0].environment = {"python": "3.13.1", "cores": 8, "packages": {"numpy": None}}
    page = make_page(runs)
    assert "Environment 1: 2 runs" in page
    assert "Environment 2: 1 run<" in page
    assert "3.13.1" in page
    assert "not installed" in page


def test_differences_between_environments_are_bold_and_notes_name_the_methods_of_each(make):
    tasks = {"stream_tasks": ("a", "b"), "order": ("a", "b")}
    facts = {"python": "3.11.7", "machine": "x86_64", "packages": {"numpy": "2.0"}}
    libraries = [{"user_api": "blas", "version": version} for version in ("1", "2")]
    runs = [make("m", repeat=r, environment=facts, **tasks) for r in range(2)]
    runs.append(make("other", environment={**facts, "machine": "arm64", "libraries": libraries}, **tasks))
    sheet = environment_sheet(select(runs))
    rows = {row[0].text: row[1:] for row in sheet.rows}
    assert [cell.text for cell in rows["machine"]] == ["x86_64", "arm64"]
    assert [cell.text for cell in rows["blas library"]] == ["–", "1; 2"]
    marked = {name for name, row in rows.items() if any(cell.bold for cell in row)}
    assert marked == {"machine", "blas library"}
    assert "Environment 2: other." in sheet.notes
    assert any("Seconds compare within one environment only" in note for note in sheet.notes)
    assert environment_sheet(select(runs[:2])).notes == ()


def test_the_formula_of_every_lifelong_figure_is_listed_with_its_id():
    sheet = formula_sheet()
    assert column(sheet, "id") == [formula.id for formula in FORMULAS]
    assert len(set(column(sheet, "id"))) == len(sheet.rows)
    assert all(column(sheet, "formula"))
    assert not any("_" in name for name in column(sheet, "figure"))

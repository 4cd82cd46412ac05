from __future__ import annotations

from reading_sheets import column, texts

from lcbench.analysis.selection import select
from lcbench.records.formulas import FORMULAS
from lcbench.report.page.fact_sheets import audit_of, environment_sheet, failure_sheet, formula_sheet, tuning_of


def measured(*held):
    """An audit that found so many bytes held after each task, of tasks of 50 kB."""
    zeros = [0] * len(held)
    measure = {
        "task_bytes": [50_000] * len(held), "clusters": [3] * len(held), "state_bytes_before": 100,
        "held_bytes": list(held), "reachable": zeros, "first_reachable": None, "complete": True, "seconds": 0.01,
    }  # fmt: skip
    return {"measure": measure}


def test_a_method_that_keeps_more_than_it_promises_is_marked_and_explained(make):
    good = make("good", method="good", setting="single-task", state_bytes=[100, 100], audit=measured(0, 0))
    bad = make("bad", method="bad", setting="single-task", audit=measured(60_000, 120_000))
    sheet = audit_of(select([good, bad, make("plain", method="plain")]))
    assert column(sheet, "method") == ["bad", "good"]
    promised = [row[sheet.header.index("as promised")] for row in sheet.rows]
    assert [(cell.text, cell.tone) for cell in promised] == [("NO", "bad"), ("yes", "good")]
    (note,) = sheet.notes
    assert note.startswith("Promise broken: bad on ")


def test_there_is_no_sheet_without_audits_tuning_or_failures(make):
    selection = select([make("m")])
    assert (audit_of(selection), tuning_of(selection), failure_sheet(selection)) == (None, None, None)


def test_tuned_methods_are_listed_with_their_choice_and_the_note_of_their_runs(make):
    points = [{"params": {"lam": lam}, "run_id": "", "status": "ok", "value": lam} for lam in (0.5, 2.0)]
    choice = {"params": {"lam": 2.0}, "points": points, "search_seconds": 3.0}
    more = {"note": "chosen with labels", "choice": choice, "tune": {"protocol": "oracle", "grid": []}}
    runs = [make("m (oracle)", repeat=r, **more) for r in range(2)]
    sheet = tuning_of(select([*runs, make("plain", method="plain")]))
    assert [column(sheet, name) for name in ("method", "chosen", "runs")] == [["m (oracle)"], ["lam=2"], ["2"]]
    assert "m (oracle): chosen with labels." in sheet.notes


def test_failed_runs_are_grouped_by_status_and_error_with_the_tasks_they_learned(make):
    runs = [
        make("m", repeat=0, status="failed", error="broke\n  twice", learn_seconds=[]),
        make("m", repeat=1, status="failed", error="broke twice", learn_seconds=[0.1]),
        make("m", repeat=2, status="timeout", error=None, learn_seconds=[0.1]),
        make("m", repeat=3),
    ]
    sheet = failure_sheet(select(runs))
    assert [row[1:] for row in texts(sheet)] == [
        ["m", "2", "failed", "0 to 1 of 2", "broke twice"],
        ["m", "1", "timeout", "1 of 2", "–"],
    ]


def test_environments_are_beside_each_other_with_their_differences_bold_and_their_methods_in_notes(make):
    facts = {"python": "3.11.7", "machine": "x86_64", "packages": {"numpy": "2.0"}}
    libraries = [{"user_api": "blas", "version": version} for version in ("1", "2")]
    other = {**facts, "machine": "arm64", "libraries": libraries, "packages": {"numpy": None}}
    runs = [make("other", environment=other), *(make("m", repeat=r, environment=facts) for r in range(2))]
    sheet = environment_sheet(select(runs))
    assert sheet.header == ("fact", "Environment 1: 2 runs", "Environment 2: 1 run")
    assert texts(sheet) == [
        ["python", "3.11.7", "3.11.7"],
        ["machine", "x86_64", "arm64"],
        ["package numpy", "2.0", "not installed"],
        ["blas library", "–", "1; 2"],
    ]
    assert [row[2].bold for row in sheet.rows] == [False, True, True, True]
    assert "Environment 2: other." in sheet.notes
    assert any("Seconds compare within one environment only" in note for note in sheet.notes)
    assert environment_sheet(select(runs[1:])).notes == ()


def test_the_formula_of_every_lifelong_figure_is_listed_with_its_id():
    sheet = formula_sheet()
    assert column(sheet, "id") == [formula.id for formula in FORMULAS]
    assert len(set(column(sheet, "id"))) == len(sheet.rows)
    assert all(column(sheet, "formula"))
    assert not any("_" in name for name in column(sheet, "figure"))

from __future__ import annotations

from lcbench.experiment.tuning import Gap
from lcbench.records.record import FAILED, OK, TIMEOUT, RunRecord
from lcbench.report.tuning_rows import CHOICE_HEADER, GAP_HEADER, choice_rows, gap_rows


def gap(metric: str = "purity", method: str = "l2sc", **figures: float | None) -> Gap:
    facts = {"oracle": 0.8, "first_task": 0.75, "silhouette": 0.7, "untuned": 0.6, **figures}
    return Gap("digits", method, metric, points=58, runs=10, **facts)


def point(lam: float, value: float | None = 0.5, status: str = OK) -> dict:
    return {"params": {"lam": lam}, "run_id": "", "status": status, "value": value}


def tuned(lam: float | None, *points: dict, repeat: int = 0, seconds: float = 10.0) -> RunRecord:
    params = None if lam is None else {"lam": lam}
    return RunRecord(
        method="l2sc", revision=1, params={}, setting="lifelong", stream="s", stream_params={}, stream_digest="",
        order=("a", "b"), seed=0, repeat=repeat, label="l2sc (first-task)", stream_label="digits",
        status=OK if lam is not None else FAILED,
        choice={"params": params, "run_id": "", "metric": "purity", "points": list(points), "search_seconds": seconds},
    )  # fmt: skip


def test_a_gap_is_a_row_of_means_and_differences():
    (row,) = gap_rows([gap()])
    assert dict(zip(GAP_HEADER, row.cells, strict=True)) == {
        "stream": "digits", "method": "l2sc", "runs": "10", "points": "58", "metric": "purity", "oracle": "80.0",
        "first-task": "75.0", "silhouette": "70.0", "untuned": "60.0", "oracle - first-task": "+5.0",
        "oracle - silhouette": "+10.0",
    }  # fmt: skip


def test_a_method_has_a_row_per_metric_and_only_the_first_names_the_method():
    rows = gap_rows([gap(), gap("nmi"), gap("purity", "mbc"), gap("nmi", "mbc")])
    assert [row.first for row in rows] == [True, False, True, False]
    assert [row.cells[1:5] for row in rows] == [
        ("l2sc", "10", "58", "purity"), ("", "", "", "nmi"), ("mbc", "10", "58", "purity"), ("", "", "", "nmi"),
    ]  # fmt: skip


def test_a_mean_that_is_not_known_is_a_dash():
    (row,) = gap_rows([gap(silhouette=None, untuned=None)])
    assert row.cells[5:] == ("80.0", "75.0", "–", "–", "+5.0", "–")


def test_a_choice_is_shown_with_the_number_of_runs_that_made_it():
    runs = [
        tuned(1.0, point(0.1), point(1.0)),
        tuned(0.1, point(0.1), point(1.0, None, TIMEOUT), repeat=1, seconds=20),
        tuned(1.0, point(0.1, None), point(1.0), repeat=2, seconds=30),
    ]
    (row,) = choice_rows(runs)
    assert dict(zip(CHOICE_HEADER, row, strict=True)) == {
        "stream": "digits", "method": "l2sc (first-task)", "runs": "3", "points": "2",
        "chosen": "lam=1 in 2; lam=0.1 in 1", "not usable": "lam=1 (timeout) in 1; lam=0.1 (no figure) in 1",
        "search s": "20.0",
    }  # fmt: skip


def test_a_choice_that_all_runs_made_is_shown_without_a_count():
    (row,) = choice_rows([tuned(1.0, point(1.0)), tuned(1.0, point(1.0), repeat=1)])
    assert row[4:6] == ("lam=1", "–")


def test_a_long_list_is_cut_and_counted():
    bad = [point(lam, None, FAILED) for lam in range(1, 9)]
    (row,) = choice_rows([tuned(None, *bad)])
    assert row[4] == "–"
    assert row[5] == "; ".join([f"lam={lam} (failed)" for lam in range(1, 6)]) + "; 3 more"


def test_runs_that_were_not_tuned_have_no_row():
    plain = tuned(1.0)
    plain.choice = None
    assert choice_rows([plain]) == []
    assert gap_rows([]) == []

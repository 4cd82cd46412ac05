from __future__ import annotations

from making import make_record
from reading_sheets import by_name, texts

from lcbench.experiment.tuning import Gap
from lcbench.records.record import FAILED, OK, TIMEOUT, RunRecord
from lcbench.report.tuning_tables import choice_rows, choice_sheet, gap_sheet, tuning_sheets


def gap(metric: str = "purity", method: str = "l2sc", untuned: float | None = 0.6, **means: float | None) -> Gap:
    by_rule = {"oracle": 0.8, "first-task": 0.75, "silhouette": 0.7} | means
    return Gap("digits", method, metric, points=58, runs=10, means=by_rule, untuned=untuned)


def point(lam: float, value: float | None = 0.5, status: str = OK) -> dict:
    return {"params": {"lam": lam}, "run_id": "", "status": status, "value": value}


def tuned(lam: float | None, *points: dict, repeat: int = 0, seconds: float = 10.0) -> RunRecord:
    params, status = (None, FAILED) if lam is None else ({"lam": lam}, OK)
    choice = {"params": params, "run_id": "", "metric": "purity", "points": list(points), "search_seconds": seconds}
    return make_record("l2sc (first-task)", stream="digits", repeat=repeat, status=status, choice=choice)


def choices(*runs: RunRecord) -> list[dict[str, str]]:
    return by_name(choice_sheet(choice_rows(runs)))


def test_a_gap_is_a_row_of_means_and_differences():
    assert by_name(gap_sheet([gap()])) == [
        {
            "stream": "digits", "method": "l2sc", "runs": "10", "points": "58", "metric": "purity", "oracle": "80.0",
            "first-task": "75.0", "silhouette": "70.0", "untuned": "60.0", "oracle - first-task": "+5.0",
            "oracle - silhouette": "+10.0",
        }
    ]  # fmt: skip
    (row,) = texts(gap_sheet([gap(silhouette=None, untuned=None)]))
    assert row[5:] == ["80.0", "75.0", "–", "–", "+5.0", "–"]


def test_a_method_has_a_row_per_metric_and_only_the_first_names_the_method():
    sheet = gap_sheet([gap(), gap("nmi"), gap("purity", "mbc"), gap("nmi", "mbc")])
    assert sheet.rules == (2,)
    assert [row[1:5] for row in texts(sheet)] == [
        ["l2sc", "10", "58", "purity"], ["", "", "", "nmi"], ["mbc", "10", "58", "purity"], ["", "", "", "nmi"],
    ]  # fmt: skip


def test_a_choice_is_shown_with_the_number_of_runs_that_made_it():
    assert choices(
        tuned(1.0, point(0.1), point(1.0)),
        tuned(0.1, point(0.1), point(1.0, None, TIMEOUT), repeat=1, seconds=20),
        tuned(1.0, point(0.1, None), point(1.0), repeat=2, seconds=30),
    ) == [
        {
            "stream": "digits", "method": "l2sc (first-task)", "runs": "3", "points": "2",
            "chosen": "lam=1 in 2; lam=0.1 in 1", "not usable": "lam=1 (timeout) in 1; lam=0.1 (no figure) in 1",
            "search s": "20.0",
        }
    ]  # fmt: skip


def test_a_choice_that_all_runs_made_has_no_count_and_a_long_list_is_cut():
    (row,) = choices(tuned(1.0, point(1.0)), tuned(1.0, point(1.0), repeat=1))
    assert (row["chosen"], row["not usable"]) == ("lam=1", "–")
    (row,) = choices(tuned(None, *(point(lam, None, FAILED) for lam in range(1, 9))))
    assert row["chosen"] == "–"
    assert row["not usable"] == "; ".join([f"lam={lam} (failed)" for lam in range(1, 6)]) + "; 3 more"


def test_there_is_a_table_of_choices_and_one_of_gaps_if_something_was_tuned():
    titles = [sheet.title for sheet in tuning_sheets([tuned(1.0, point(1.0)), make_record()], [gap()])]
    assert [title.split(":")[0] for title in titles] == ["What tuning chose", "The oracle gap"]
    assert tuning_sheets([make_record()], []) == []

from __future__ import annotations

from making import make_record
from reading_sheets import by_name, column, texts

from lcbench.records.record import FAILED
from lcbench.report.overview import HEADER, overview_sheet

R = [[0.5, None], [0.6, 0.8]]
S = [[0.7, None], [0.5, 0.2]]
AT_END = [[None, None], [0.6, 0.8]]


def rows(*runs, metrics=("purity",)):
    return by_name(overview_sheet(runs, metrics))


def test_an_overview_row_worked_by_hand():
    costs = {"learn_seconds": [1.0, 2.0], "predict_seconds": [0.25, 0.25], "state_bytes": [100, 2000]}
    more = {"learn_seconds": [10.0, 9.0], "predict_seconds": [0.0, 0.1], "state_bytes": [9000, 300]}
    # Diagonals .65 and .45, last rows .7 and .35, changes of the first task +.1 and -.2; the state at the end counts.
    # Standard deviations .2 / sqrt(2) and .35 / sqrt(2).
    assert rows(make_record("l2sc", R, **costs), make_record("l2sc", S, **more)) == [
        {
            "stream": "s", "method": "l2sc", "runs": "2", "metric": "purity", "at arrival": "55.0 ±14.1",
            "after all": "52.5 ±24.7",
            "backward": "-5.0", "learn s": "11.0", "predict s": "0.300", "state": "2.0 kB",
        }
    ]  # fmt: skip


def test_a_method_has_a_row_per_metric_and_only_the_first_names_the_method():
    run = make_record("l2sc", scores={"purity": R, "silhouette": S})
    assert texts(overview_sheet([run], ["silhouette", "purity"])) == [
        ["s", "l2sc", "1", "silhouette", "0.450", "0.350", "-0.200", "3.000", "0.500", "20 B"],
        ["", "", "", "purity", "65.0", "70.0", "+10.0", "", "", ""],
    ]


def test_methods_are_listed_in_the_order_of_their_first_runs():
    found = rows(*map(make_record, ("stsc", "l2sc", "stsc")))
    assert [(row["method"], row["runs"]) for row in found] == [("stsc", "2"), ("l2sc", "1")]


def test_failed_runs_are_counted_and_not_averaged():
    failed = make_record("l2sc", [[0.0, None]], status=FAILED, learn_seconds=[99.0], state_bytes=[10**9])
    (row,) = rows(make_record("l2sc", R), failed)
    assert (row["runs"], row["at arrival"], row["learn s"], row["state"]) == ("1 + 1 failed", "65.0", "3.000", "20 B")
    (row,) = rows(failed)
    assert row["runs"] == "0 + 1 failed"
    assert set(list(row.values())[4:]) == {"–"}


def test_a_figure_that_some_run_does_not_have_is_a_dash():
    (row,) = rows(make_record("m", R), make_record("m", AT_END))
    assert (row["at arrival"], row["after all"], row["backward"]) == ("–", "70.0 ±0.0", "–")
    assert rows(make_record("m", R), metrics=["nmi"])[0]["after all"] == "–"
    (row,) = rows(make_record("m", [[0.5]], order="a"))
    assert (row["at arrival"], row["after all"], row["backward"]) == ("50.0", "50.0", "–")


def test_the_table_of_one_stream_is_named_after_it_and_has_no_column_for_it():
    runs = [make_record("l2sc", R), make_record("stsc", R), make_record("l2sc", S, stream="t")]
    sheet = overview_sheet(runs, ["purity", "nmi"], "s")
    assert (sheet.title.split(":")[0], sheet.header, sheet.stub, sheet.rules) == ("s", HEADER[1:], 3, (2,))
    assert column(sheet, "method") == ["l2sc", "", "stsc", ""]
    assert column(overview_sheet(runs, ["purity", "nmi"]), "stream") == ["s", "", "s", "", "t", ""]

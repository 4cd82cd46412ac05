from __future__ import annotations

from lcbench.records.record import FAILED, RunRecord
from lcbench.report.overview import HEADER, overview, overview_sheet

R = [[0.5, None], [0.6, 0.8]]
S = [[0.7, None], [0.5, 0.2]]


def make_run(label: str, scores, **changes) -> RunRecord:
    costs = {"learn_seconds": [1.0, 2.0], "predict_seconds": [0.25, 0.25], "state_bytes": [100, 2000]}
    return RunRecord(
        method=label, revision=1, params={}, setting="lifelong", stream="s", stream_params={}, stream_digest="",
        order=("a", "b"), seed=0, repeat=0, label=label, stream_label="s", scores=scores, **(costs | changes),
    )  # fmt: skip


def rows(runs, metrics=("purity",)):
    return [dict(zip(HEADER, row.cells, strict=True)) for row in overview(runs, metrics)]


def test_an_overview_row_worked_by_hand():
    runs = [
        make_run("l2sc", {"purity": R}),
        make_run("l2sc", {"purity": S}, learn_seconds=[10.0, 9.0], predict_seconds=[0.0, 0.1], state_bytes=[9000, 300]),
    ]
    # Diagonals .65 and .45, last rows .7 and .35, changes of the first task +.1 and -.2; the state at the end counts.
    # Standard deviations .2 / sqrt(2) and .35 / sqrt(2).
    assert rows(runs) == [
        {
            "stream": "s", "method": "l2sc", "runs": "2", "metric": "purity", "at arrival": "55.0 ±14.1",
            "after all": "52.5 ±24.7",
            "backward": "-5.0", "learn s": "11.0", "predict s": "0.300", "state": "2.0 kB",
        }
    ]  # fmt: skip


def test_a_method_has_a_row_per_metric_and_only_the_first_names_the_method():
    found = overview([make_run("l2sc", {"purity": R, "silhouette": S})], ["silhouette", "purity"])
    assert [row.first for row in found] == [True, False]
    assert found[0].cells == ("s", "l2sc", "1", "silhouette", "0.450", "0.350", "-0.200", "3.000", "0.500", "2.0 kB")
    assert found[1].cells == ("", "", "", "purity", "65.0", "70.0", "+10.0", "", "", "")


def test_methods_are_listed_in_the_order_of_their_first_runs():
    runs = [make_run(label, {"purity": R}) for label in ("stsc", "l2sc", "stsc")]
    assert [(row["method"], row["runs"]) for row in rows(runs)] == [("stsc", "2"), ("l2sc", "1")]


def test_failed_runs_are_counted_and_not_averaged():
    failed = make_run("l2sc", {"purity": [[0.0, None]]}, status=FAILED, learn_seconds=[99.0], state_bytes=[10**9])
    (row,) = rows([make_run("l2sc", {"purity": R}), failed])
    assert row["runs"] == "1 + 1 failed"
    assert (row["at arrival"], row["learn s"], row["state"]) == ("65.0", "3.000", "2.0 kB")


def test_a_method_that_only_failed_has_dashes():
    (row,) = rows([make_run("l2sc", {}, status=FAILED)])
    assert row["runs"] == "0 + 1 failed"
    assert set(list(row.values())[4:]) == {"–"}


def test_scores_that_were_not_computed_are_dashes():
    (row,) = rows([make_run("l2sc", {"purity": [[None, None], [0.6, 0.8]]})])
    assert (row["at arrival"], row["after all"], row["backward"]) == ("–", "70.0", "–")
    assert rows([make_run("l2sc", {"purity": R})], ["nmi"])[0]["after all"] == "–"


def test_a_stream_of_one_task_has_no_backward_transfer():
    (row,) = rows([make_run("l2sc", {"purity": [[0.5]]})])
    assert (row["at arrival"], row["after all"], row["backward"]) == ("50.0", "50.0", "–")


def test_a_mean_is_missing_if_a_run_misses_the_figure():
    (row,) = rows([make_run("m", {"purity": R}), make_run("m", {"purity": [[None, None], [0.6, 0.8]]})])
    assert (row["at arrival"], row["after all"]) == ("–", "70.0 ±0.0")


def test_the_table_of_one_stream_is_named_after_it_and_has_no_column_for_it():
    runs = [make_run("l2sc", {"purity": R, "nmi": R}), make_run("stsc", {"purity": R})]
    other = make_run("l2sc", {"purity": S})
    other.stream_label = "t"
    sheet = overview_sheet([*runs, other], ["purity", "nmi"], "s")
    assert (sheet.title.split(":")[0], sheet.header, sheet.stub) == ("s", HEADER[1:], 3)
    assert [row[0].text for row in sheet.rows] == ["l2sc", "", "stsc", ""]
    assert sheet.rules == (2,)
    assert len(overview_sheet([*runs, other], ["purity", "nmi"]).rows) == 6

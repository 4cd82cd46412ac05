from __future__ import annotations

import pytest

from lcbench.api.results import Results
from lcbench.records.record import FAILED, RunRecord
from lcbench.report.export import COLUMNS, run_rows


def make_run(**changes) -> RunRecord:
    return RunRecord(**{
        "method": "m", "revision": 1, "params": {"b": None, "a": [1, 2]}, "setting": "lifelong", "stream": "s",
        "stream_params": {}, "stream_digest": "", "order": ("a", "b"), "seed": 4, "repeat": 2,
        "scores": {"purity": [[0.5, None], [0.6, 0.8]]}, "learn_seconds": [1.0, 2.0], "predict_seconds": [0.0, 0.5],
        "state_bytes": [10, 20],
    } | changes)  # fmt: skip


def test_there_is_a_row_per_scored_cell_with_every_column():
    rows = list(run_rows(make_run(metric_seconds=[0.1, 0.2], peak_bytes=99, finished="2026-01-01T00:00:00+00:00")))
    assert [list(row) for row in rows] == [list(COLUMNS)] * 3
    assert [(r["tasks_learned"], r["position"], r["task"], r["score"], r["metric_seconds"]) for r in rows] == [
        (1, 1, "a", 0.5, 0.1), (2, 1, "a", 0.6, 0.2), (2, 2, "b", 0.8, 0.2),
    ]  # fmt: skip
    first = rows[0]
    assert (first["params"], first["order"], first["label"], first["tune"]) == (
        '{"a":[1,2],"b":null}',
        "a,b",
        "m",
        "none",
    )
    assert (first["peak_bytes"], first["finished"]) == (99, "2026-01-01T00:00:00+00:00")


def test_a_tuned_run_says_how_and_what_was_chosen():
    tuned = make_run(tune={"protocol": "oracle", "grid": []}, choice={"params": {"lam": 10.0}, "points": []})
    assert {(row["tune"], row["chosen_params"]) for row in run_rows(tuned)} == {("oracle", '{"lam":10.0}')}
    nothing = make_run(tune={"protocol": "oracle", "grid": []}, choice={"params": None, "points": []})
    assert {(row["tune"], row["chosen_params"]) for row in run_rows(nothing)} == {("oracle", None)}


@pytest.mark.parametrize("scores", [{}, {"purity": []}, {"silhouette": [[None, None], [None, None]]}], ids=str)
def test_a_run_in_which_nothing_was_scored_has_one_row_without_a_metric(scores):
    (row,) = run_rows(make_run(status=FAILED, scores=scores))
    assert list(row) == list(COLUMNS)
    assert (row["status"], row["metric"], row["score"], row["task"]) == (FAILED, None, None, None)


def test_what_an_older_schema_did_not_have_is_missing():
    assert {row["metric_seconds"] for row in run_rows(make_run())} == {None}


def test_the_frame_has_the_same_rows():
    runs = [make_run(), make_run(repeat=3, status=FAILED, scores={})]
    frame = Results(runs, []).to_frame()
    assert list(frame.columns) == list(COLUMNS)
    assert len(frame) == 4
    assert frame["score"].tolist()[:3] == [0.5, 0.6, 0.8]
    assert frame["metric"].isna().tolist() == [False, False, False, True]

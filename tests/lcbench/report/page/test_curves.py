from __future__ import annotations

import json
from itertools import permutations

import pytest
from making import make_record

from lcbench.analysis.lifelong_table import lifelong_table
from lcbench.analysis.selection import select
from lcbench.report.page import curves
from lcbench.report.page.curves import first_shown, page_data, whole
from lcbench.report.page.thinning import Detail

SETTINGS = {"l": "lifelong", "m": "multi-task", "s": "single-task"}


def method_of(data, label):
    index = data["methods"].index(label)
    (found,) = (method for method in data["streams"][0]["methods"] if method["method"] == index)
    return found


def test_a_run_has_its_scores_row_after_row_as_whole_numbers(runs):
    data = page_data(select(runs), ["purity"], others=False)
    stream = data["streams"][0]
    run = next(run for run in runs if run.label == "solo")
    ((name, scale, shown),) = stream["metrics"]
    assert (name, scale, shown) == ("purity", 10_000, 100)
    R = run.scores["purity"]
    order, baseline, scores, seconds, sizes = method_of(data, "solo")["runs"][0]
    assert [stream["tasks"][task] for task in stream["orders"][order]] == list(run.order)
    assert baseline == -1
    assert scores == [[round(10_000 * R[i][j]) for i in range(3) for j in range(i + 1)]]
    assert seconds == pytest.approx(run.learn_seconds, rel=1e-3)
    assert sizes == run.state_bytes


def test_a_method_without_a_finished_run_has_no_curve(runs):
    data = page_data(select(runs), ["purity"])
    assert "broken" not in [data["methods"][method["method"]] for method in data["streams"][0]["methods"]]
    assert page_data(select([run for run in runs if run.status != "ok"]), ["purity"])["streams"] == []


def test_means_over_runs_are_those_of_the_lifelong_table(runs, monkeypatch):
    monkeypatch.setattr(curves, "choose_details", lambda _: [Detail(("purity",), (1, 3), each_run=False)])
    selection = select(runs)
    data = page_data(selection, ["purity"])
    assert data["streams"][0]["orders"] == []
    for label in ("solo", "<i>first</i>"):
        own = [run for run in runs if run.label == label]
        table = lifelong_table(own, "purity", selection.by_id)
        (mean,) = method_of(data, label)["mean"]
        for task, found in zip(own[0].stream_tasks, mean, strict=True):
            cells = [table.cells.get((task, m)) for m in (0, 1, 3)]
            assert found == [whole(cell.mean if cell and cell.count else None, 10_000) for cell in cells]


def test_a_large_metric_keeps_four_digits_and_a_negative_one_its_sign():
    run = make_record("m", [[-12345.678, None], [2.5, 90000.0]], metric="depth")
    stream = page_data(select([run]), ["depth"])["streams"][0]
    scale = stream["metrics"][0][1]
    drawn = [cell / scale for cell in stream["methods"][0]["runs"][0][2][0]]
    assert drawn == pytest.approx([-12345.678, 2.5, 90000.0], abs=10)
    assert drawn[0] < 0


def test_two_hundred_tasks_in_a_hundred_runs_stay_small():
    tasks = tuple(f"task-{i}" for i in range(200))
    R = [[0.5 if j <= i else None for j in range(200)] for i in range(200)]
    scores = {"purity": R, "nmi": R, "ri": R}
    data = page_data(select([make_record(order=tasks, repeat=r, scores=scores) for r in range(100)]), list(scores))
    assert len(json.dumps(data)) < 2_500_000
    assert "25 steps of 200" in data["streams"][0]["thinned"]
    assert len(data["streams"][0]["steps"]) == 25


def test_orders_come_once_each_by_repeat():
    orders = list(permutations("abc"))
    runs = [make_record("m", (1, 1, 1), order=order, repeat=r) for r in range(2) for order in orders]
    found = page_data(select(runs), ["purity"])["streams"][0]["orders"]
    assert found == [["abc".index(task) for task in order] for order in orders]


def runs_scoring(scores):
    """Runs of methods named by setting and number, such as l1, with these averages."""
    return [make_record(label, [[score]], order="a", setting=SETTINGS[label[0]]) for label, score in scores.items()]


def labels_shown(scores):
    return first_shown(select(runs_scoring(scores)).streams[0], "purity")


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        # lifelong before multi-task however they score, the best of each, and one single-task method at the end
        (
            {"l1": 0.1, "m1": 0.5, "m2": 0.9, "m3": 0.7, "m4": 0.6, "s1": 0.3, "s2": 0.8},
            ["l1", "m2", "m3", "m4", "s2"],
        ),
        ({f"l{i}": i / 10 for i in range(7)} | {"s1": 0.9}, ["l6", "l5", "l4", "l3", "s1"]),
        ({f"l{i}": i / 10 for i in range(7)}, ["l6", "l5", "l4", "l3", "l2"]),
        # what chance scores is the worst of the single-task methods
        ({"l1": 0.5, "s-chance": 0.2, "s1": 0.4}, ["l1", "s1"]),
        ({f"s{i}": i / 10 for i in range(7)}, ["s6", "s5", "s4", "s3", "s2"]),
        ({"s1": 0.3, "s2": 0.4}, ["s2", "s1"]),
        # without an average there is nothing to be the best by
        ({"m1": None, "m2": 0.1, "s1": None, "s2": 0.1}, ["m2", "m1", "s2"]),
    ],
    ids=str,
)
def test_at_most_five_methods_are_shown_first_by_setting_and_average(scores, expected):
    assert labels_shown(scores) == expected


def test_the_method_with_the_least_score_is_shown_first_where_less_is_better(monkeypatch):
    monkeypatch.setattr("lcbench.report.page.curves.greater_is_better", lambda _: False)
    assert labels_shown({"l1": 0.5, "s1": 0.2, "s2": 0.9}) == ["l1", "s1"]


def test_a_method_whose_runs_failed_is_not_among_those_first_shown():
    runs = [make_record(f"l{i}", order="a", status="failed") for i in range(5)]
    assert first_shown(select([*runs, make_record("l-done", [[0.1]], order="a")]).streams[0], "purity") == ["l-done"]


def test_methods_first_shown_are_marked_in_the_data_and_have_the_first_styles():
    runs = runs_scoring({"l": 0.5} | {f"s{i}": i / 20 for i in range(10)})
    data = page_data(select(runs), ["purity"])
    assert data["methods"][:3] == ["s9", "l", "s0"]
    on = {data["methods"][method["method"]]: method["on"] for method in data["streams"][0]["methods"]}
    assert [label for label, shown in on.items() if shown] == ["s9", "l"]
    assert len(on) == 11

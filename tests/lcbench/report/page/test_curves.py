from __future__ import annotations

import json
from itertools import permutations
from statistics import fmean

import pytest
from making import make_record

from lcbench.analysis.lifelong_table import lifelong_table
from lcbench.analysis.selection import select
from lcbench.analysis.transfer import curves_of
from lcbench.report.page import curves
from lcbench.report.page.curves import first_shown, order_text, page_data, whole
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


def test_a_page_of_too_many_runs_has_the_means_of_one_order_as_the_lifelong_table_has_them(make, monkeypatch):
    monkeypatch.setattr(curves, "choose_details", lambda _: [Detail(("purity",), (1, 3), each_run=False)])
    first, other = ("a", "b", "c"), ("c", "b", "a")
    baseline_run = make("solo", first)
    own = [make("m", first, repeat=r, baseline=baseline_run.run_id) for r in (0, 2)]
    elsewhere = [make("m", other, repeat=1), make("later", other, repeat=1)]
    selection = select([baseline_run, *own, *elsewhere])
    data = page_data(selection, ["purity"])
    stream = data["streams"][0]
    assert (stream["orders"], stream["order_texts"]) == ([[0, 1, 2]], ["1: a → b → c"])
    found = method_of(data, "m")
    table = lifelong_table(own, "purity", selection.by_id)
    ((order, baseline, (scores,), _, sizes),) = found["runs"]
    cells = {(m, j): cell for (m, j), cell in zip([(1, 0), (3, 0), (3, 1), (3, 2)], scores, strict=True)}
    for (m, j), cell in cells.items():
        assert cell == whole(table.cells["abc"[j], m].mean, 10_000)
    assert stream["alone"][baseline] == [[whole(baseline_score(baseline_run, j), 10_000) for j in range(3)]]
    assert (order, found["count"]) == (0, 2)
    assert sizes == [round(fmean(run.state_bytes[i] for run in own)) for i in (0, 2)]
    late = method_of(data, "later")  # has no run in that order
    assert (late["count"], late["runs"]) == (0, [])


def baseline_score(run, j):
    """The score of the j-th task when the baseline learned it."""
    return run.scores["purity"][j][j]


def test_an_order_is_listed_with_its_number_and_a_long_one_is_cut():
    assert order_text(2, ("b", "a")) == "2: b → a"
    assert order_text(1, [f"t{i}" for i in range(9)]) == "1: t0 → t1 → t2 → t3 → t4 → t5 → t6 → …"


@pytest.mark.parametrize("each_run", [True, False])
def test_over_several_orders_methods_that_could_learn_from_others_have_the_paired_curves(
    runs, solos, monkeypatch, each_run
):
    monkeypatch.setattr(curves, "choose_details", lambda _: [Detail(("purity", "nmi"), (1, 2, 3), each_run=each_run)])
    selection = select([*runs, *solos])
    data = page_data(selection, ["purity", "nmi"])
    assert "paired" not in method_of(data, "solo")
    by_label = {method.label: method for method in selection.streams[0].methods}
    for label in ("$x$ %{y}", "<i>first</i>"):
        for metric, sides in zip(("purity", "nmi"), method_of(data, label)["paired"], strict=True):
            found = curves_of(by_label[label], selection, metric, 0.95)
            for side, expected in zip(sides, (found.by_arrival, found.since_arrival), strict=True):
                assert len(side) == 3
                for values, point in zip(side, expected, strict=True):
                    assert values == pytest.approx([100 * point.mean, 100 * point.low, 100 * point.high], abs=1e-4)


def test_there_are_no_paired_curves_in_one_order_nor_of_runs_scored_at_the_end_only(make):
    assert "paired" not in page_data(select([make("m"), make("other")]), ["purity"])["streams"][0]["methods"][0]
    ended = [make("m", order, repeat=r) for r, order in enumerate((("a", "b"), ("b", "a")))]
    for run in ended:
        run.scores = {"purity": [[None, None], run.scores["purity"][-1]]}
    assert "paired" not in page_data(select(ended), ["purity"])["streams"][0]["methods"][0]


def test_a_method_with_one_run_beside_others_has_paired_points_without_an_interval(make):
    data = page_data(select([make("m", ("a", "b")), make("other", ("b", "a"))]), ["purity"])
    R = make("m", ("a", "b")).scores["purity"]
    by_arrival, since = method_of(data, "m")["paired"][0]
    assert by_arrival == []  # without solo runs
    assert since == [[0, None, None], [pytest.approx(100 * (R[1][0] - R[0][0]), abs=1e-4), None, None]]


def test_a_large_metric_keeps_four_digits_and_a_negative_one_its_sign():
    run = make_record("m", [[-12345.678, None], [2.5, 90000.0]], metric="depth")
    stream = page_data(select([run]), ["depth"])["streams"][0]
    scale = stream["metrics"][0][1]
    drawn = [cell / scale for cell in stream["methods"][0]["runs"][0][2][0]]
    assert drawn == pytest.approx([-12345.678, 2.5, 90000.0], abs=10)
    assert drawn[0] < 0


def test_two_hundred_tasks_in_thirty_runs_stay_small():
    tasks = tuple(f"task-{i}" for i in range(200))
    R = [[0.5 if j <= i else None for j in range(200)] for i in range(200)]
    scores = {"purity": R, "nmi": R, "ri": R}
    data = page_data(select([make_record(order=tasks, repeat=r, scores=scores) for r in range(30)]), list(scores))
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

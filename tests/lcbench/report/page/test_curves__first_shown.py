from __future__ import annotations

import pytest

from lcbench.analysis.selection import select
from lcbench.report.page.curves import first_shown, page_data

SETTINGS = {"l": "lifelong", "m": "multi-task", "s": "single-task"}


def made(make, scores):
    """Runs of methods named by setting and number, such as l1, with these averages."""
    return [
        make(label, ("a",), stream_tasks=("a",), method=label, setting=SETTINGS[label[0]], scores={"purity": [[score]]})
        for label, score in scores.items()
    ]


def shown(make, scores):
    return first_shown(select(made(make, scores)).streams[0], "purity")


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
def test_at_most_five_are_shown_by_setting_and_average(make, scores, expected):
    assert shown(make, scores) == expected


def test_where_less_is_better_the_least_is_the_best(make, monkeypatch):
    monkeypatch.setattr("lcbench.report.page.curves.greater_is_better", lambda _: False)
    assert shown(make, {"l1": 0.5, "s1": 0.2, "s2": 0.9}) == ["l1", "s1"]


def test_a_method_that_did_not_end_well_takes_no_place(make):
    runs = [make(f"l{i}", ("a",), stream_tasks=("a",), method=f"l{i}", status="failed") for i in range(5)]
    done = make("l-done", ("a",), stream_tasks=("a",))
    assert first_shown(select([*runs, done]).streams[0], "purity") == ["l-done"]


def test_the_data_of_the_page_say_which_are_on_and_these_have_the_first_styles(make):
    runs = made(make, {"l": 0.5} | {f"s{i}": i / 20 for i in range(10)})
    data = page_data(select(runs), ["purity"])
    assert data["methods"][:3] == ["s9", "l", "s0"]
    on = {data["methods"][method["method"]]: method["on"] for method in data["streams"][0]["methods"]}
    assert [label for label, shown in on.items() if shown] == ["s9", "l"]
    assert len(on) == 11

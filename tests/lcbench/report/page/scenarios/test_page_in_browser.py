"""The page in a real browser: no errors, curves that show the records, and names that stay text."""

from __future__ import annotations

import re
from statistics import fmean

import pytest

AVERAGE = "average of the tasks learned"


def expected(runs, label, metric, task, order=None):
    """By hand: x and y in percent of a task's curve, the baseline first."""
    by_id = {run.run_id: run for run in runs}
    own = [run for run in runs if run.label == label and order in (None, run.order)]
    x, y = [], []
    for learned in range(1, len(own[0].order) + 1):
        scores = [run.scores[metric][learned - 1][run.order.index(task)] for run in own]
        known = [100 * score for score in scores if score is not None]
        if known:
            x.append(learned)
            y.append(fmean(known))
    baselines = [by_id[run.baseline] for run in own if run.baseline]
    if baselines:
        at = [b.order.index(task) for b in baselines]
        x.insert(0, x[0] - 1)
        y.insert(0, fmean(100 * b.scores[metric][j][j] for b, j in zip(baselines, at, strict=True)))
    return x, pytest.approx(y, abs=0.0051)


def choose(visit, role, value):
    visit.page.select_option(f'[data-stream="0"] [data-role="{role}"]', value)


def box(visit, name):
    return visit.page.locator(f'[data-stream="0"] [data-role="methods"] input[value="{name}"]')


def test_the_page_loads_without_messages_and_requests_nothing_but_itself(first_visit, address):
    first_visit.page.wait_for_timeout(300)
    assert first_visit.messages == []
    assert first_visit.requests == [address]
    assert len(first_visit.drawn()) == 4


def test_the_curves_are_those_of_the_records(opened, runs):
    drawn = opened.drawn()
    tasks, labels = runs[0].stream_tasks, [run.label for run in runs[:3]]
    assert list(drawn) == [AVERAGE, *tasks]
    for task in tasks:
        assert list(drawn[task]) == labels
        for label in labels:
            assert drawn[task][label] == expected(runs, label, "purity", task)
    for label in labels:
        x, y = drawn[AVERAGE][label]
        curves = [expected(runs, label, "purity", task) for task in tasks]
        last = [curve[1].expected[-1] for curve in curves]
        assert (x[-1], y[-1]) == (3, pytest.approx(fmean(last), abs=0.0051))
        assert x == ([1, 2, 3] if label == "solo" else [0, 1, 2, 3])


def test_metric_order_and_panels_can_be_chosen(opened, runs):
    task, order = runs[0].stream_tasks[1], runs[3].order
    choose(opened, "metric", "1")
    assert opened.drawn()[task]["solo"] == expected(runs, "solo", "nmi", task)
    choose(opened, "order", "1")
    assert opened.drawn()[task]["$x$ %{y}"] == expected(runs, "$x$ %{y}", "nmi", task, order)
    legend = opened.page.locator('[data-role="cost-legend"]')
    assert not legend.is_visible()
    choose(opened, "panels", "method")
    assert legend.is_visible()  # the labels of the methods have no samples of lines now
    drawn = opened.drawn()
    assert list(drawn) == ["solo", "$x$ %{y}", "<i>first</i>"]
    assert drawn["<i>first</i>"][task] == expected(runs, "<i>first</i>", "nmi", task, order)
    choose(opened, "metric", "2")
    assert opened.drawn()["solo"][task] == expected(runs, "solo", "ari", task, order)


def test_a_task_can_be_switched_off(opened, runs):
    opened.page.locator('[data-role="tasks"] input[value="0"]').uncheck()
    assert list(opened.drawn()) == [AVERAGE, *runs[0].stream_tasks[1:]]
    opened.page.get_by_role("button", name="Tasks: none").click()
    assert opened.drawn() == {}
    assert "switch on" in opened.page.locator('[data-role="caption"]').inner_text()


def test_a_method_is_switched_off_and_on_with_the_keyboard_alone(opened):
    before = opened.drawn()
    opened.page.locator('[data-role="panels"]').focus()
    opened.page.keyboard.press("Tab")
    assert box(opened, 0).evaluate("box => box === document.activeElement && box.matches(':focus-visible')")
    opened.page.keyboard.press("Space")
    assert all(set(lines) == {"<i>first</i>", "$x$ %{y}"} for lines in opened.drawn().values())
    assert set(opened.drawn("cost")["time to learn a task"]) == {"<i>first</i>", "$x$ %{y}"}
    opened.page.keyboard.press("Space")
    assert opened.drawn() == before


def test_cost_curves_are_means_over_the_chosen_orders(opened, runs):
    own = [run for run in runs if run.label == "<i>first</i>"]
    cost = opened.drawn("cost")
    x, seconds = cost["time to learn a task"]["<i>first</i>"]
    assert x == [1, 2, 3]
    assert seconds == pytest.approx([fmean(run.learn_seconds[i] for run in own) for i in range(3)], rel=1e-3)
    sizes = cost["size of the state"]["<i>first</i>"][1]
    assert sizes == pytest.approx([fmean(run.state_bytes[i] for run in own) for i in range(3)], abs=0.5)
    choose(opened, "order", "2")
    assert opened.drawn("cost")["size of the state"]["<i>first</i>"][1] == own[2].state_bytes


def test_names_stay_text_in_tables_titles_controls_and_hover(opened, runs):
    page = opened.page
    assert page.locator("img, iframe, object, main script, main i").count() == 0
    assert page.locator("h3", has_text="</script><img src=x").count() >= 1
    assert page.locator("th", has_text="<i>first</i>").count() >= 1
    assert page.locator("body", has_text="49").locator("text='49'").count() == 0
    titles = page.locator('[data-role="lifelong"] .annotation-text').all_text_contents()
    assert titles == [AVERAGE, *runs[0].stream_tasks]
    choose(opened, "panels", "method")
    plot = page.locator('[data-role="lifelong"]')
    assert opened.hover(11, 0).startswith("<i>first</i>, {{ 7*7 }}purity ")
    assert opened.hover(1, 0).startswith(f"solo, {runs[0].stream_tasks[0]}purity ")
    assert opened.hover(5, 0).startswith(f"$x$ %{{y}}, {runs[0].stream_tasks[0]}purity ")
    assert plot.locator("script, img, a").count() == 0


def test_hover_shows_the_value_and_how_many_runs_it_is_the_mean_of(opened, runs):
    text = opened.hover(5, 1)
    _, y = expected(runs, "<i>first</i>", "purity", runs[0].stream_tasks[0])
    value, about = re.fullmatch(r".*purity ([\d.]+)(after .*)", text).groups()
    assert float(value) == pytest.approx(y.expected[1], abs=0.0101)
    assert about == "after 1 of 3 tasks, mean over 2 of 3 runs"
    # of the average: its start, and the two tasks that came first in one of the three orders
    assert opened.hover(1, 0).endswith("single-task baseline, mean over the 3 tasks that have one")
    assert opened.hover(1, 1).endswith("after 1 of 3 tasks, mean over the 2 tasks that a run had learned")


def test_the_values_drawn_are_in_a_table_too(opened, runs):
    opened.page.locator(".values summary").click()
    rows = opened.page.locator(".values tbody tr")
    lines = opened.drawn()
    assert rows.count() == sum(len(x) for panel in lines.values() for x, _ in panel.values())
    task = runs[0].stream_tasks[2]
    first = next(text for text in rows.all_inner_texts() if text.startswith(f"{task}\tsolo"))
    assert float(first.split("\t")[-1]) == pytest.approx(lines[task]["solo"][1][0], abs=0.005)

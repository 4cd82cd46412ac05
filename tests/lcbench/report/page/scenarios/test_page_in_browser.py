"""The page in a real browser: no errors, curves that show the records, and names that stay text."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean

import pytest

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.selection import select
from lcbench.analysis.transfer import curves_of
from lcbench.report.verdict import verdict_lines

AVERAGE = "average of the tasks learned"


def expected(runs, label, metric, task, order=None):
    """By hand: x and y in percent of a task's curve in one order, if not named the first; the baseline first."""
    by_id = {run.run_id: run for run in runs}
    own = [run for run in runs if run.label == label and run.order == (order or first_order(runs))]
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


def first_order(runs):
    """The order that the page shows when it is opened."""
    return min(run.order for run in runs)


def choose(visit, role, value):
    visit.page.select_option(f'[data-role="{role}"]', value)


def box(visit, name):
    return visit.page.locator(f'[data-role="methods"] input[value="{name}"]')


def test_the_page_loads_without_messages_and_requests_nothing_but_itself(visit, address):
    visit.open(address)
    visit.page.wait_for_timeout(300)
    assert visit.messages == []
    assert visit.requests == [address]
    assert len(visit.drawn()) == 4


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
        curves = {task: expected(runs, label, "purity", task)[1].expected for task in tasks}
        last = [curve[-1] for curve in curves.values()]
        assert (x[-1], y[-1]) == (3, pytest.approx(fmean(last), abs=0.0051))
        assert x == ([1, 2, 3] if label == "solo" else [0, 1, 2, 3])
        first = curves[first_order(runs)[0]]  # after one task the average is that of this task
        assert y[-3] == pytest.approx(first[-3], abs=0.0051)


def test_metric_order_and_panels_can_be_chosen(opened, runs):
    task, order = runs[0].stream_tasks[1], sorted({run.order for run in runs})[1]
    choose(opened, "metric", "nmi")
    assert opened.drawn()[task]["solo"] == expected(runs, "solo", "nmi", task)
    choose(opened, "order", "2")
    assert opened.drawn()[task]["$x$ %{y}"] == expected(runs, "$x$ %{y}", "nmi", task, order)
    choose(opened, "panels", "method")
    drawn = opened.drawn()
    assert list(drawn) == ["solo", "$x$ %{y}", "<i>first</i>"]
    assert drawn["<i>first</i>"][task] == expected(runs, "<i>first</i>", "nmi", task, order)
    choose(opened, "metric", "ari")
    assert opened.drawn()["solo"][task] == expected(runs, "solo", "ari", task, order)


def test_a_task_can_be_switched_off(opened, runs):
    opened.page.locator('[data-role="tasks"] input[value="0"]').uncheck()
    assert list(opened.drawn()) == [AVERAGE, *runs[0].stream_tasks[1:]]
    opened.page.get_by_role("button", name="Tasks: none").click()
    assert opened.drawn() == {}
    assert "switch on" in opened.page.locator('[data-role="caption"]').inner_text()


def test_a_method_is_switched_off_and_on_with_the_keyboard_alone(opened):
    before = opened.drawn()
    opened.page.get_by_role("button", name="Tasks: none").focus()
    opened.page.keyboard.press("Tab")
    assert box(opened, 0).evaluate("box => box === document.activeElement && box.matches(':focus-visible')")
    opened.page.keyboard.press("Space")
    assert all(set(lines) == {"<i>first</i>", "$x$ %{y}"} for lines in opened.drawn().values())
    assert set(opened.drawn("cost")["time to learn a task"]) == {"<i>first</i>", "$x$ %{y}"}
    opened.page.keyboard.press("Space")
    assert opened.drawn() == before


def test_cost_curves_are_those_of_the_chosen_order(opened, runs):
    own = sorted((run for run in runs if run.label == "<i>first</i>"), key=lambda run: run.order)
    for order, run in enumerate(own, 1):
        choose(opened, "order", str(order))
        cost = opened.drawn("cost")
        x, seconds = cost["time to learn a task"]["<i>first</i>"]
        assert x == [1, 2, 3]
        assert seconds == pytest.approx(run.learn_seconds, rel=1e-3)
        assert cost["size of the state"]["<i>first</i>"][1] == run.state_bytes


def test_the_orders_to_choose_among_are_single_ones_and_no_mean_over_them(opened, runs):
    options = opened.page.locator('[data-role="order"] option').all_text_contents()
    orders = sorted({run.order for run in runs})
    assert options == [f"{i}: {' → '.join(order)}" for i, order in enumerate(orders, 1)]


def test_the_verdict_is_shown_with_its_names_as_text(opened, runs, solos):
    (stream,) = compare_methods(select([*runs, *solos]), ("purity", "nmi"), against="solo").streams
    shown = opened.page.locator("header .verdict li")
    assert shown.all_inner_texts() == verdict_lines(stream)
    assert all(item.is_visible() for item in shown.all())


@pytest.mark.parametrize("metric", ["purity", "ari"])
def test_the_paired_curves_and_their_intervals_are_those_of_the_analysis(opened, runs, solos, metric):
    selection = select([*runs, *solos])
    choose(opened, "metric", metric)
    drawn, bands = opened.drawn("paired"), opened.bands("paired")
    assert list(drawn) == ["by arrival", "since arrival"]
    for method in selection.streams[0].done:
        for title, side in (("by arrival", "by_arrival"), ("since arrival", "since_arrival")):
            if method.is_single_task:
                assert method.label not in drawn[title]
                continue
            curve = getattr(curves_of(method, selection, metric, 0.95), side)
            x, y = drawn[title][method.label]
            assert x == [0, 1, 2]
            assert y == pytest.approx([100 * point.mean for point in curve], abs=1e-3)
            for x, (place, low, high) in enumerate(bands[title][method.label]):
                assert place == x
                assert (low, high) == pytest.approx((100 * curve[x].low, 100 * curve[x].high), abs=1e-3)
            assert len(bands[title][method.label]) == 3


def test_the_paired_curves_do_not_depend_on_the_order_chosen_and_follow_the_methods(opened):
    before = opened.drawn("paired")
    choose(opened, "order", "3")
    assert opened.drawn("paired") == before
    opened.page.locator('[data-role="methods"] label', has_text="$x$ %{y}").locator("input").uncheck()
    assert [set(lines) for lines in opened.drawn("paired").values()] == [{"<i>first</i>"}] * 2
    legend = opened.page.locator('[data-role="paired"] .legendtext')
    assert legend.all_text_contents() == ["<i>first</i>"]


def test_hover_over_a_paired_curve_shows_the_mean_its_interval_and_how_many_tasks_were_known(opened, runs, solos):
    selection = select([*runs, *solos])
    drawn = opened.drawn("paired")
    label = next(iter(drawn["by arrival"]))
    (method,) = [method for method in selection.streams[0].done if method.label == label]
    point = curves_of(method, selection, "purity", 0.95).by_arrival[1]
    text = opened.hover(0, 1, "paired")
    said = re.fullmatch(
        r"(.*): purity ([+-][.\d]+) percentage points over the same method alone,where one task was known before"
        r"95 % interval ([+-][.\d]+) to ([+-][.\d]+)",
        text,
    )
    assert said[1] == label
    figures = (100 * point.mean, 100 * point.low, 100 * point.high)
    assert tuple(map(float, said.groups()[1:])) == pytest.approx(figures, abs=0.0051)


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


def test_hover_shows_the_value_and_after_how_many_tasks(opened, runs):
    task = runs[0].stream_tasks[0]
    text = opened.hover(5, 1)
    x, y = expected(runs, "<i>first</i>", "purity", task)
    value, about = re.fullmatch(r".*purity ([\d.]+) % (.*)", text).groups()
    assert float(value) == pytest.approx(y.expected[1], abs=0.0101)
    assert about == f"after {x[1]} of 3 tasks"
    assert opened.hover(5, 0).endswith("by its single-task baseline, before it is learned")


def test_the_values_drawn_are_in_a_table_too(opened, runs):
    opened.page.locator(".values summary").click()
    rows = opened.page.locator(".values tbody tr")
    rows.first.wait_for()  # filled when the browser tells that it was opened
    opened.unspoilt = False
    lines = opened.drawn()
    points = sum(len(x) for panel in lines.values() for x, _ in panel.values())
    assert f"of {points}" in opened.page.locator(".values .dt-info").inner_text()
    opened.page.get_by_label("Search: Values of the curves").fill("7*7")
    task = runs[0].stream_tasks[2]
    first = next(text for text in rows.all_inner_texts() if text.startswith(f"{task}\tsolo"))
    assert float(first.split("\t")[3]) == pytest.approx(lines[task]["solo"][1][0], abs=0.005)


def test_a_figure_is_saved_as_an_image_and_no_button_sends_it_anywhere(opened):
    opened.unspoilt = False  # older versions of plotly show a message for a while
    opened.ready("cost")
    plot = opened.page.locator('[data-role="cost"]')
    titles = plot.locator(".modebar-btn").evaluate_all("buttons => buttons.map((button) => button.dataset.title)")
    assert len(titles) == 4
    assert not re.search("cloud|share|send|edit", " ".join(titles), re.IGNORECASE)
    plot.hover()
    with opened.page.expect_download() as download:
        plot.locator(".modebar-btn").first.click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    assert all(request.startswith(("file:", "blob:", "data:")) for request in opened.requests)

"""The page over runs of other orders, runs scored at the end only, and more methods than are drawn at first."""

from __future__ import annotations

from statistics import fmean

import pytest
from making import make_record

TASKS = tuple(f"t{i}" for i in range(30))
BACK = TASKS[::-1]


@pytest.fixture(scope="module")
def uneven(browser, make, page_of):
    """`solo` and `ended` in two orders, `second` in the second only; `ended` was scored at the end only."""
    solo = [make("solo", order, stream_tasks=TASKS) for order in (TASKS, BACK)]
    ended = [make("ended", run.order, stream_tasks=TASKS, baseline=run.run_id) for run in solo]
    for run in ended:
        run.scores = {metric: [*[[None] * 30] * 29, R[-1]] for metric, R in run.scores.items()}
    runs = [*solo, *ended, make("second", BACK, stream_tasks=TASKS)]
    page = browser.new_page()
    page.goto(page_of(runs))
    return page, runs


def caption(page):
    return page.locator('[data-role="caption"]').inner_text()


def choose(page, role, value):
    page.select_option(f'[data-role="{role}"]', value)


def test_the_caption_says_what_is_drawn_and_which_methods_have_fewer_orders(uneven):
    page, _ = uneven
    choose(page, "order", "-1")
    assert page.locator('[data-role="caption"]').get_attribute("aria-live") == "polite"
    assert caption(page) == (
        "purity, mean over 2 orders; 3 of 3 methods, 8 of 30 tasks. Open marks: the single-task baseline. "
        "Ended well in fewer orders: second (1)."
    )
    orders = page.locator('[data-role="order"] option').all_text_contents()
    first = next(i for i, text in enumerate(orders[1:]) if "t0 → t1" in text)
    choose(page, "metric", "1")
    choose(page, "order", str(first))
    said = caption(page)
    assert said.startswith(f"nmi, {orders[1 + first]}; 3 of 3 methods")
    assert said.endswith("No run that ended well in this order: second.")
    choose(page, "order", str(1 - first))
    assert "No run" not in caption(page)
    choose(page, "metric", "0")


@pytest.mark.parametrize("order", [TASKS, BACK, None])
def test_a_line_starts_just_before_the_task_was_learned_even_if_scores_come_later(uneven, order):
    page, runs = uneven
    orders = page.locator('[data-role="order"] option').all_text_contents()[1:]
    index = -1 if order is None else next(i for i, text in enumerate(orders) if f": {order[0]} →" in text)
    choose(page, "order", str(index))
    lines = page.evaluate(
        """() => document.querySelector('[data-role="lifelong"]').data.filter((line) => line.name === "ended")
          .map((line) => [[...line.x], [...line.y]])"""
    )[1:]  # without the average
    assert len(lines) == 8
    own = [run for run in runs if run.label == "ended" and order in (None, run.order)]
    for task, (x, y) in zip(TASKS, lines, strict=False):
        assert x == [min(run.order.index(task) for run in own), 30]
        assert y[1] == pytest.approx(
            fmean(100 * run.scores["purity"][-1][run.order.index(task)] for run in own), abs=0.0051
        )


def test_the_markers_of_many_steps_do_not_touch(uneven):
    page, _ = uneven
    choose(page, "order", "-1")
    size, steps, width = page.evaluate(
        """() => {
          const plot = document.querySelector('[data-role="lifelong"]');
          return [plot.data[0].marker.size, plot.data[0].x.length, plot._fullLayout.xaxis._length];
        }"""
    )
    assert steps == 30
    assert size <= width / steps / 2


def test_the_buttons_all_and_none_are_not_inside_the_box_that_scrolls(uneven):
    page, _ = uneven
    assert page.locator("fieldset > button").count() == 4
    assert page.locator(".boxes button").count() == 0


def test_few_methods_are_drawn_at_first_and_the_caption_counts_them_until_all_are_switched_on(browser, page_of):
    runs = [make_record(f"learner-{i}") for i in range(2)]
    runs += [make_record(f"solo-{i}", (i / 10, i / 10), setting="single-task") for i in range(9)]
    page = browser.new_page()
    page.goto(page_of(runs, metrics=("purity",)))
    names = """new Set(document.querySelector('[data-role="lifelong"]').data.map((line) => line.name))"""
    assert set(page.evaluate(f"[...{names}]")) == {"learner-0", "learner-1", "solo-8"}
    assert page.locator('[data-role="methods"] input:checked').count() == 3
    assert "3 of 11 methods" in caption(page)
    page.get_by_role("button", name="Methods: all").click()
    assert page.evaluate(f"{names}.size") == 11
    assert "11 of 11 methods" in caption(page)

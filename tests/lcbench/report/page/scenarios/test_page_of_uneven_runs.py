"""The page over runs of other orders, runs scored at the end only, and more methods than are drawn at first."""

from __future__ import annotations

from statistics import fmean, stdev

import pytest
from making import make_record

from lcbench.report.page import curves
from lcbench.report.page.thinning import Detail

pytestmark = pytest.mark.slow  # in a browser; test_page_in_browser.py has the first looks

TASKS = tuple(f"t{i}" for i in range(30))
BACK = TASKS[::-1]


@pytest.fixture(scope="module")
def uneven_page(make, page_of):
    """`solo` and `ended` in two orders, `second` in the second only; `ended` was scored at the end only."""
    solo = [make("solo", order, stream_tasks=TASKS) for order in (TASKS, BACK)]
    ended = [make("ended", run.order, stream_tasks=TASKS, baseline=run.run_id) for run in solo]
    for run in ended:
        run.scores = {metric: [*[[None] * 30] * 29, R[-1]] for metric, R in run.scores.items()}
    runs = [*solo, *ended, make("second", BACK, stream_tasks=TASKS)]
    return page_of(runs), runs


@pytest.fixture
def uneven(visit, uneven_page):
    """The page over them, opened, and the runs."""
    address, runs = uneven_page
    if visit.page.url.partition("#")[0] != address:
        visit.open(address)
    visit.ready()
    return visit.page, runs


def caption(page):
    return page.locator('[data-role="caption"]').inner_text()


def choose(page, role, value):
    page.select_option(f'[data-role="{role}"]', value)


def orders(page):
    return page.locator('[data-role="order"] option').all_text_contents()


def place_of(page, order):
    """The number of an order in the list, which names its first tasks."""
    return next(i for i, text in enumerate(orders(page)) if f": {order[0]} → {order[1]} →" in text)


def test_the_caption_says_what_is_drawn_and_which_methods_lack_the_order(uneven):
    page, _ = uneven
    first, second = place_of(page, TASKS), place_of(page, BACK)
    assert {first, second} == {0, 1}
    choose(page, "order", str(second + 1))
    assert page.locator('[data-role="caption"]').get_attribute("aria-live") == "polite"
    assert caption(page) == (
        f"purity, order {orders(page)[second]}; 3 of 3 methods, 8 of 30 tasks. Open marks: the single-task baseline."
    )
    choose(page, "metric", "nmi")
    choose(page, "order", str(first + 1))
    said = caption(page)
    assert said.startswith(f"nmi, order {orders(page)[first]}; 3 of 3 methods")
    assert said.endswith("No run that ended well in this order: second.")
    choose(page, "metric", "purity")


@pytest.mark.parametrize("order", [TASKS, BACK])
def test_a_line_starts_just_before_the_task_was_learned_even_if_scores_come_later(visit, uneven, order):
    page, runs = uneven
    choose(page, "order", str(place_of(page, order) + 1))
    lines = [panel["ended"] for panel in visit.drawn().values()][1:]  # without the average
    assert len(lines) == 8
    (own,) = [run for run in runs if run.label == "ended" and run.order == order]
    for task, (x, y) in zip(TASKS, lines, strict=False):
        assert x == [own.order.index(task), 30]
        assert y[1] == pytest.approx(100 * own.scores["purity"][-1][own.order.index(task)], abs=0.0051)


def test_a_method_with_one_run_or_scored_at_the_end_only_has_no_interval_or_no_paired_curve(visit, uneven):
    """`second` has one run, which has changes since arrival but, without solo runs, none by arrival."""
    ((name, (x, _)),) = visit.drawn("paired")["since arrival"].items()
    assert (name, len(x)) == ("second", 30)
    assert visit.bands("paired") == {"since arrival": {"second": []}}
    said = uneven[0].evaluate("document.querySelector('[data-role=\"paired\"]').data[0].customdata[1]")
    assert "interval" not in said


def test_the_markers_of_many_steps_do_not_touch(uneven):
    page, _ = uneven
    choose(page, "order", "1")
    size, steps, width = page.evaluate(
        """() => {
          const plot = document.querySelector('[data-role="lifelong"]');
          const line = plot.data.find((trace) => trace.x.length === 30);
          return [line.marker.size, line.x.length, plot._fullLayout.xaxis._length];
        }"""
    )
    assert steps == 30
    assert size <= width / steps / 2


def test_the_buttons_all_and_none_are_not_inside_the_box_that_scrolls(uneven):
    page, _ = uneven
    assert page.locator("fieldset > button").count() == 4
    assert page.locator(".boxes button").count() == 0


def test_a_page_of_too_many_runs_shows_one_order_and_names_the_methods_without_it(visit, make, page_of, monkeypatch):
    order, other = ("a", "b", "c"), ("c", "b", "a")
    runs = [*(make("many", order, repeat=r) for r in (0, 2)), make("one", order), make("later", other, repeat=1)]
    monkeypatch.setattr(curves, "choose_details", lambda _: [Detail(("purity",), (1, 2, 3), each_run=False)])
    visit.open(page_of(runs, metrics=("purity",)))
    page = visit.page
    visit.ready("cost")
    visit.ready()
    assert caption(page) == (
        "purity, order 1: a → b → c; 3 of 3 methods, 3 of 3 tasks. No run that ended well in this order: later."
    )
    hovers = page.evaluate(
        """() => ["lifelong", "cost"].map((role) => Object.fromEntries(
          document.querySelector(`[data-role="${role}"]`).data.map((line) => [line.name, line.customdata[0]])))"""
    )
    assert set(hovers[0]) == set(hovers[1]) == {"many", "one"}
    texts = hovers[0]  # of the last panel, so of the last task
    assert texts["many"].endswith(" % after 3 of 3 tasks<br>mean of 2 runs")
    assert texts["one"].endswith(" % after 3 of 3 tasks")
    assert visit.messages == []


def test_few_methods_are_drawn_at_first_and_the_caption_counts_them_until_all_are_switched_on(visit, page_of):
    runs = [make_record(f"learner-{i}") for i in range(2)]
    runs += [make_record(f"solo-{i}", (i / 10, i / 10), setting="single-task") for i in range(9)]
    visit.open(page_of(runs, metrics=("purity",)))
    page = visit.page
    assert {name for panel in visit.drawn().values() for name in panel} == {"learner-0", "learner-1", "solo-8"}
    assert page.locator('[data-role="methods"] input:checked').count() == 3
    assert "3 of 11 methods" in caption(page)
    page.get_by_role("button", name="Methods: all").click()
    assert len({name for panel in visit.drawn().values() for name in panel}) == 11
    assert "11 of 11 methods" in caption(page)


def test_runs_in_one_order_have_a_band_of_one_standard_deviation_and_the_tooltip_tells_it(visit, make, page_of):
    runs = [make("m", ("a", "b"), repeat=r) for r in range(4)]
    visit.open(page_of(runs, metrics=("purity",)))
    cells = [100 * run.scores["purity"][1][0] for run in runs]
    x, low, high = visit.bands()["a"]["m"][-1]
    assert (x, (low + high) / 2) == (2, pytest.approx(fmean(cells), abs=0.01))
    assert (high - low) / 2 == pytest.approx(stdev(cells), abs=0.01)
    said = visit.hover(1, 1)
    assert said.startswith("m, apurity ")
    assert said.endswith(f"mean of 4 runs, ± {stdev(cells):.2f} (one standard deviation)")
    assert "Bands: one standard deviation" in caption(visit.page)
    assert visit.messages == []

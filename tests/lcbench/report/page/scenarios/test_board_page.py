"""The page of a board in a browser: its tables sort, and filters leave the methods that pass them."""

from __future__ import annotations

import pytest
from board_entries import make_entry
from small_suite import write_suite

from lcbench.experiment.suites import suite_of
from lcbench.report.board.page import render_board
from lcbench.submission.standings import make_boards
from lcbench.submission.verification import Level

pytestmark = pytest.mark.slow  # in a browser; test_page_in_browser.py has the first looks

HOSTILE = "<i>a & b</i>, a name that is long:enough=to,be=broken"


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """The address of a board with four methods."""
    folder = tmp_path_factory.mktemp("board")
    suite = suite_of(write_suite(folder))

    def entry(name, digits, words, **more):
        return make_entry(suite, name, {"digits": digits, "words": words}, **more)

    entries = [
        entry(HOSTILE, [0.9, 0.8], [0.9], seconds=200, level=Level.VERIFIED),
        entry("lifelong", [0.5, 0.5], [0.6], setting="lifelong", solo=0.4, seconds=50, level=Level.RERUN),
        entry("quick", [0.095, 0.095], [0.1], seconds=0.5, peak=300_000_000),
        entry("failing", [0.7, 0.7], [0.0], failed="words", seconds=0.1),
    ]
    file = folder / "index.html"
    file.write_text(render_board(make_boards(entries)), encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def opened(visit, board):
    visit.open(board)
    visit.unspoilt = False
    visit.page.locator(".dt-container").first.wait_for()
    yield visit
    assert visit.messages == []


def table(page, title):
    return page.locator(".dt-container", has=page.locator(f'table[aria-label="{title}"]'))


def methods(page, title="All streams"):
    return table(page, title).locator("tbody tr > :first-child").all_inner_texts()


def test_the_best_is_first_and_a_click_sorts_by_number(opened):
    page = opened.page
    assert methods(page) == [HOSTILE, "lifelong", "failing", "quick"]
    head = table(page, "All streams").locator("thead th", has_text="ari (%)")
    head.click()
    table(page, "All streams").locator('thead th[aria-sort="ascending"]', has_text="ari").wait_for()
    assert methods(page) == ["quick", "failing", "lifelong", HOSTILE]  # 9.8, 35, 55 and 87.5


def test_a_column_with_a_mark_sorts_by_number(opened):
    page = opened.page
    title = "ari (%) on each stream"
    table(page, title).locator("thead th", has_text="words").click()
    table(page, title).locator('thead th[aria-sort="ascending"]', has_text="words").wait_for()
    assert methods(page, title) == ["failing", "quick", "lifelong", HOSTILE]
    assert table(page, title).locator("tbody .bad").all_inner_texts() == ["0.0 †"]


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("setting", "lifelong", ["lifelong"]),
        ("level", "rerun", [HOSTILE, "lifelong"]),
        ("level", "verified", [HOSTILE]),
        ("seconds", "60", ["lifelong", "quick"]),
        ("seconds", "300.0", [HOSTILE, "lifelong", "quick"]),
        ("bytes", "250000000", [HOSTILE, "lifelong"]),
    ],
)
def test_a_filter_leaves_the_methods_that_pass_it_in_every_table(opened, name, value, left):
    page = opened.page
    page.locator(f"#filter-{name}").select_option(value)
    assert methods(page) == left
    assert methods(page, "ari (%) on each stream") == left
    assert methods(page, "What was submitted") == left
    assert page.locator("[data-role=shown]").inner_text() == f"{len(left)} of 4 methods shown."
    page.locator(f"#filter-{name}").select_option("")
    assert len(methods(page)) == 4


def test_filters_hold_together_and_with_the_search(opened):
    page = opened.page
    page.locator("#filter-seconds").select_option("60")
    page.locator("#filter-level").select_option("verified")
    assert methods(page) == ["No row has this text."]
    page.locator("#filter-level").select_option("")
    table(page, "All streams").get_by_role("searchbox").fill("qui")
    assert methods(page) == ["quick"]
    folded = page.locator("summary", has_text="nmi (%) on each stream")
    folded.click()
    assert methods(page, "nmi (%) on each stream") == ["lifelong", "quick"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_window_scrolls_tables_and_not_the_page(opened, scheme):
    page = opened.page
    page.set_viewport_size({"width": 360, "height": 800})
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.locator("#filter-setting").is_visible()


def test_the_page_fetches_nothing(opened, board):
    assert opened.requests == ["about:blank", board] or opened.requests == [board]

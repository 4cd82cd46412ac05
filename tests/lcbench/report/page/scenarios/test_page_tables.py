"""Every table of the page sorts, searches and downloads as CSV, by mouse and by keyboard."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # in a browser; test_page_in_browser.py has the first looks

OVERVIEW = "averages over tasks after all of them"


@pytest.fixture
def table(opened):
    """The overview table, set up."""
    opened.unspoilt = False
    opened.page.locator("#overview").evaluate("at => at.scrollIntoView({behavior: 'instant'})")
    found = opened.page.locator(".dt-container", has=opened.page.locator(f'table[aria-label*="{OVERVIEW}"]'))
    found.wait_for()
    return found


def methods(table):
    return table.locator("tbody tr > :first-child").all_inner_texts()


def numbers(table, place):
    return [float(text.split()[0]) for text in table.locator(f"tbody tr > :nth-child({place})").all_inner_texts()
            if text != "–"]  # fmt: skip


def wait_until_sorted(table, name, way):
    """Sorting answers a click a moment later."""
    table.locator(f'thead th[aria-sort="{way}"]', has_text=name).wait_for()


def test_a_table_is_ordered_by_score_at_first(table):
    found = numbers(table, 3)
    assert found == sorted(found, reverse=True)
    assert len(found) == 3
    assert methods(table)[-1] == "broken"  # has no score


def test_a_click_on_a_head_sorts_by_its_numbers_and_another_the_other_way(table):
    head = table.locator("thead th", has_text="seconds")
    head.click()
    wait_until_sorted(table, "seconds", "ascending")
    found = numbers(table, 5)
    assert found == sorted(found)
    head.click()
    wait_until_sorted(table, "seconds", "descending")
    assert numbers(table, 5) == sorted(found, reverse=True)


def test_a_table_sorts_with_the_keyboard_alone(table, opened):
    table.locator("thead th", has_text="method").locator("[tabindex], [role=button]").first.focus()
    opened.page.keyboard.press("Enter")
    wait_until_sorted(table, "method", "ascending")
    found = methods(table)
    assert found == sorted(found, key=str.lower)


def test_search_leaves_the_rows_that_have_the_text(table):
    table.get_by_role("searchbox").fill("first")
    assert methods(table) == ["<i>first</i>"]
    table.get_by_role("searchbox").fill("nowhere to be found")
    assert table.locator("tbody").inner_text() == "No row has this text."


def test_the_csv_of_a_table_has_its_texts_as_they_are(table, opened):
    shown = [[cell.inner_text() for cell in row.locator("th, td").all()] for row in table.locator("tr").all()]
    with opened.page.expect_download() as download:
        table.get_by_role("button", name="CSV").click()
    assert download.value.suggested_filename.endswith(".csv")
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    assert list(csv.reader(io.StringIO(text))) == shown
    assert {"<i>first</i>", "$x$ %{y}"} <= {row[0] for row in shown}


def test_names_of_groups_stand_in_each_row_and_stay_with_it_when_it_is_sorted(opened):
    opened.unspoilt = False
    page = opened.page
    page.locator("#tables").evaluate("at => at.scrollIntoView({behavior: 'instant'})")
    scores = page.locator(".dt-container", has=page.locator('table[aria-label*="mean ± standard deviation"]')).first
    scores.wait_for()
    rows = lambda: sorted(scores.locator("tbody tr").all_inner_texts())  # noqa: E731
    before = rows()
    assert all(row.split("\t")[0] for row in before)
    scores.locator("thead th", has_text="solo").click()
    wait_until_sorted(scores, "solo", "ascending")
    assert rows() == before


def test_every_table_of_the_page_is_set_up_when_it_comes_near(opened):
    page = opened.page
    opened.unspoilt = False
    page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
    for table in page.locator("main table").all():
        table.evaluate("table => table.scrollIntoView({behavior: 'instant'})")
        page.wait_for_function("table => table.closest('.dt-container')", arg=table.element_handle())
    count = page.locator("main table").count()
    assert count > 8
    assert page.locator("main .dt-container").count() == count
    assert page.get_by_role("searchbox").count() == page.get_by_role("button", name="CSV").count() == count
    assert page.evaluate("document.documentElement.scrollWidth") == 1200

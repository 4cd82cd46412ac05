"""The page where it is read: in a narrow window, in the dark, on paper, with a keyboard, without scripts."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise

import pytest

pytestmark = pytest.mark.slow  # in a browser; test_page_in_browser.py has the first looks

TEXTS = """() => {
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const other = !element.checkVisibility() || element.closest("svg, script, option");
    if (other || !walker.currentNode.data.trim()) continue;
    let under = element;
    while (under && getComputedStyle(under).backgroundColor === "rgba(0, 0, 0, 0)") under = under.parentElement;
    const ground = getComputedStyle(under || document.documentElement).backgroundColor;
    seen.add([getComputedStyle(element).color, ground, element.tagName].join("|"));
  }
  return [...seen];
}"""


def channels(colour: str) -> list[float]:
    if colour.startswith("#"):
        return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 has it."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    bright, dim = sorted((luminance(a), luminance(b)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def test_contrast_is_computed_as_wcag_defines_it():
    assert contrast("#000000", "rgb(255, 255, 255)") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_lines_have_enough_contrast_to_the_background(opened, scheme):
    page = opened.page
    page.emulate_media(color_scheme=scheme)
    opened.ready()
    pairs = [entry.split("|") for entry in page.evaluate(TEXTS)]
    assert len(pairs) > 10
    for colour, ground, tag in pairs:
        assert contrast(colour, ground) >= 4.5, (colour, ground, tag)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    lines = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--lines')").split()
    assert len(set(lines)) == 8
    for colour in lines:
        assert contrast(colour, ground) >= 3, colour


def test_dark_mode_changes_the_page_and_the_plots_while_it_is_open(opened):
    page = opened.page
    ground = "getComputedStyle(document.body).backgroundColor"
    plot = "[document.querySelector('.plot')].flatMap(p => [p.layout.paper_bgcolor, p.data[0].line.color])"
    opened.ready()
    light, drawn = page.evaluate(ground), page.evaluate(plot)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("before => document.querySelector('.plot').layout.paper_bgcolor !== before", arg=drawn[0])
    assert luminance(page.evaluate(ground)) < 0.05 < luminance(light)
    assert luminance(page.evaluate(plot)[0]) < 0.05
    assert page.evaluate(plot)[1] != drawn[1]
    assert luminance(page.evaluate("getComputedStyle(document.querySelector('.main-svg')).backgroundColor")) < 0.05


@pytest.mark.parametrize("width", [360, 320, 800])
def test_a_narrow_window_never_scrolls_sideways(opened, width):
    page = opened.page
    page.set_viewport_size({"width": width, "height": 700})
    for figure in ("lifelong", "paired", "cost"):
        opened.ready(figure)
    page.wait_for_function("width => document.querySelector('.plot').layout.width < width", arg=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    ends = page.evaluate("[...document.querySelectorAll('.plot svg')].map(s => s.getBoundingClientRect().right)")
    assert max(ends) <= width
    wide = page.evaluate("[...document.querySelectorAll('.scroll')].some(s => s.scrollWidth > s.clientWidth)")
    assert wide or width == 800


def test_on_paper_the_page_is_light_without_controls_and_with_the_names_of_the_lines_drawn(opened):
    page = opened.page
    page.emulate_media(color_scheme="dark")
    opened.ready()
    page.locator('[data-role="methods"] label', has_text="solo").locator("input").uncheck()
    assert page.locator(".controls").is_visible()
    page.emulate_media(media="print", color_scheme="dark")
    page.wait_for_function("() => [...document.querySelectorAll('.plot')].every((plot) => plot.layout?.width < 700)")
    for hidden in (".controls", "nav", ".skip", ".values", ".dt-search", ".dt-buttons", ".in-view"):
        assert not page.locator(hidden).first.is_visible()
    for figure in ("lifelong", "cost"):
        legend = page.locator(f'[data-role="{figure}"] .legendtext').all_text_contents()
        assert legend == ["$x$ %{y}", "<i>first</i>"]
    assert luminance(page.evaluate("document.querySelector('.plot').layout.paper_bgcolor")) > 0.9
    assert luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) > 0.9


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext, of poppler-utils, reads the printed pages")
def test_on_paper_a_heading_is_on_the_page_of_its_chart_or_table(opened, tmp_path):
    opened.page.emulate_media(media="print")
    opened.page.pdf(path=tmp_path / "page.pdf", format="A5")
    text = subprocess.run(
        ["pdftotext", "-layout", tmp_path / "page.pdf", "-"], check=True, capture_output=True, text=True
    )
    pages = text.stdout.split("\f")
    assert len(pages) > 4
    together = {
        "What other tasks bring": "by arrival", "Cost as tasks arrive": "time to learn a task", "Environment": "python",
        "Formulas of the lifelong figures": "reference", "Runs that did not come to their end": "reason",
    }  # fmt: skip
    for heading, first in together.items():
        assert any(heading in page and first in page.split(heading, 1)[1] for page in pages), heading


def test_the_names_of_the_methods_stay_in_view_beside_the_last_figure(opened):
    opened.page.set_viewport_size({"width": 1200, "height": 500})
    opened.ready("cost")
    top = opened.page.locator(".in-view").evaluate("bar => bar.getBoundingClientRect().top")
    assert 0 <= top < 10


def test_a_section_folds_and_a_link_to_it_opens_it_again(opened):
    page = opened.page
    section = page.locator("details.section", has=page.locator("#environment"))
    section.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert not section.locator("table").is_visible()
    page.get_by_role("navigation").get_by_role("link", name="Environment").click()
    section.locator("table").wait_for(state="visible")
    assert page.locator("details.section").count() == page.locator("main h2").count()


@pytest.fixture(scope="module")
def bare(browser, address):
    """The page where scripts are switched off."""
    page = browser.new_page(java_script_enabled=False)
    page.goto(address)
    return page


@pytest.mark.parametrize("scripts", [True, False])
def test_folded_tables_are_open_on_paper_and_folded_again_after_it(request, scripts):
    page = request.getfixturevalue("opened").page if scripts else request.getfixturevalue("bare")
    tables = page.locator(".folded table")
    assert tables.count() == 2
    for media, visible in (("screen", False), ("print", True), ("screen", False)):
        page.emulate_media(media=media)
        page.wait_for_timeout(100)
        assert [table.is_visible() for table in tables.all()] == [visible, visible], media


def test_controls_have_labels_headings_are_in_order_and_tables_have_heads(opened):
    page = opened.page
    named = """[...document.querySelectorAll('input, select')]
      .map(e => e.getAttribute("aria-label") ?? e.labels[0]?.textContent.trim())"""
    assert all(page.evaluate(named))
    assert page.locator("fieldset").count() == page.locator("fieldset > legend").count() == 2
    levels = [int(tag[1]) for tag in page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(e => e.tagName)")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.locator("thead th:not([scope=col])").count() == 0
    assert page.locator("tbody th:not([scope=row])").count() == 0
    assert page.locator("tbody tr:not(:has(th))").count() == 0
    page.evaluate("document.querySelector('.values').open = true")
    page.locator(".values table").wait_for()
    assert page.locator("table:not([aria-label])").count() == 0
    assert page.locator("html[lang=en]").count() == 1
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    for target in page.evaluate("[...document.querySelectorAll('a')].map(a => a.getAttribute('href'))"):
        assert target[1:] in ids, target


def test_a_command_is_broken_between_words_and_copied_as_it_is(opened):
    page = opened.page
    code = page.locator("pre code").last
    code.evaluate("code => { code.parentElement.style.width = '6rem'; }")
    assert code.inner_text() == "lcbench report"
    tops = code.evaluate("code => [...code.children].map(word => word.getClientRects()).map(r => [r.length, r[0].top])")
    assert [lines for lines, _ in tops] == [1, 1]
    assert tops[0][1] < tops[1][1]
    code.evaluate("code => code.parentElement.removeAttribute('style')")


def test_the_first_press_of_tab_offers_to_skip_the_contents(visit, address):
    visit.open(address)
    page = visit.page
    page.keyboard.press("Tab")
    assert page.locator(".skip").evaluate("link => link.getBoundingClientRect().left >= 0")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_without_scripts_the_tables_are_there_and_a_sentence_says_why_the_curves_are_not(bare):
    assert "scripts are switched off" in bare.inner_text("main")
    assert bare.locator("main table").count() > 3
    assert not bare.locator(".controls").first.is_visible()

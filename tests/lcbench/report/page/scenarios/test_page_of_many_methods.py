"""The page over more methods than can be told apart at once."""

from __future__ import annotations

import pytest

TASKS = ("a", "b")


@pytest.fixture(scope="module")
def many(browser, make, make_page, tmp_path_factory):
    """Two lifelong methods and nine single-task ones, of which `solo-8` is the best and `solo-0` the worst."""
    runs = [make(f"learner-{i}", TASKS, stream_tasks=TASKS, method=f"l{i}") for i in range(2)]
    for i in range(9):
        scores = {"purity": [[i / 10, None], [i / 10, i / 10]]}
        others = {"method": f"s{i}", "setting": "single-task", "scores": scores}
        runs.append(make(f"solo-{i}", TASKS, stream_tasks=TASKS, **others))
    file = tmp_path_factory.mktemp("many") / "report.html"
    file.write_text(make_page(runs), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    return page


def drawn(page):
    lines = page.evaluate("""document.querySelector('[data-role="lifelong"]').data.map((line) => line.name)""")
    return set(lines)


def test_few_methods_are_drawn_at_first_and_the_caption_counts_them_until_all_are_switched_on(many):
    caption = many.locator('[data-role="caption"]')
    assert drawn(many) == {"learner-0", "learner-1", "solo-8"}
    assert many.locator('[data-role="methods"] input:checked').count() == 3
    assert "3 of 11 methods" in caption.inner_text()
    many.get_by_role("button", name="Methods: all").click()
    assert len(drawn(many)) == 11
    assert "11 of 11 methods" in caption.inner_text()

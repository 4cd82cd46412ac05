"""The list of runs: one run in detail, two side by side, and a link that shows the same again."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.slow  # in a browser; test_page_in_browser.py has the first looks


@pytest.fixture
def runs_list(opened):
    """The list of runs, in view."""
    opened.page.locator("#runs").evaluate("at => at.scrollIntoView({behavior: 'instant'})")
    opened.page.locator("#run-list tbody input").first.wait_for()
    return opened.page


def done(runs):
    return [run for run in runs if run.status == "ok"]


def tick(page, run):
    page.get_by_label(run.run_id[:8]).check()


def facts(page):
    """Name -> texts of the table of facts, and those that differ."""
    table = page.locator('[data-role="run-pane"] table[aria-label="Facts"]')
    table.wait_for()
    rows = [row.locator("th, td").all_inner_texts() for row in table.locator("tbody tr").all()]
    differing = set(table.locator("tr:has(.differs) > :first-child").all_inner_texts())
    return {name: texts for name, *texts in rows}, differing


def matrices(page):
    """The rows of each matrix that is shown, head first."""
    tables = page.locator('[data-role="run-pane"] .beside table')
    return [[row.locator("th, td").all_inner_texts() for row in table.locator("tr").all()] for table in tables.all()]


def expected_matrix(run, metric):
    names = ["learned", *run.order]
    steps = range(len(run.order))
    R = run.scores[metric]
    return [names, *([str(i + 1), *(f"{100 * R[i][j]:.1f}" if j <= i else "" for j in steps)] for i in steps)]


def close(found, expected):
    """The same texts, but that numbers may differ by the rounding of what the page carries."""
    assert [[cell for cell in row if not cell.replace(".", "").isdigit()] for row in found] == [
        [cell for cell in row if not cell.replace(".", "").isdigit()] for row in expected
    ]
    values = [[float(c) for row in t for c in row if c.replace(".", "").isdigit()] for t in (found, expected)]
    assert values[0] == pytest.approx(values[1], abs=0.11)


def test_the_list_has_every_run_best_first_with_its_score(runs_list, runs):
    assert runs_list.locator(".dt-container:has(#run-list) .dt-info").inner_text().endswith(f"of {len(runs)}")
    scores = [
        float(text) for text in runs_list.locator("#run-list tbody tr > :nth-child(7)").all_inner_texts() if text != "–"
    ]
    assert len(scores) == len(done(runs))
    assert scores == sorted(scores, reverse=True)
    averages = [100 * sum(run.scores["purity"][-1]) / 3 for run in done(runs)]
    assert scores == pytest.approx(sorted(averages, reverse=True), abs=0.051)


def test_a_run_that_is_ticked_shows_its_matrix_order_parameters_environment_and_command(runs_list, runs):
    run = done(runs)[1]
    tick(runs_list, run)
    found, differing = facts(runs_list)
    assert found["order"] == [" → ".join(run.order)]
    assert found["ended"] == ["ok"]
    assert found["method"] == [f"{run.method}, {run.setting}, revision 1"]
    assert differing == set()
    (matrix,) = matrices(runs_list)
    close(matrix, expected_matrix(run, "purity"))
    runs_list.select_option('[data-role="run-metric"]', "nmi")
    close(matrices(runs_list)[0], expected_matrix(run, "nmi"))
    runs_list.locator('[data-role="run-pane"] summary', has_text="Environment").click()
    assert "3.11.7" in runs_list.locator('[data-role="run-pane"] table[aria-label="Environment"]').inner_text()
    runs_list.select_option('[data-role="run-metric"]', "purity")


def test_two_runs_are_side_by_side_with_what_differs_marked_and_a_third_takes_the_place_of_the_first(runs_list, runs):
    first, second, third = done(runs)[0], done(runs)[4], done(runs)[7]
    for run in (first, second):
        tick(runs_list, run)
    found, differing = facts(runs_list)
    assert found["order"] == [" → ".join(first.order), " → ".join(second.order)]
    assert {"order", "method", "repeat"} <= differing
    assert not {"seed", "ended", "threads"} & differing
    assert len(matrices(runs_list)) == 2
    tops = runs_list.locator(".beside > div").evaluate_all("parts => parts.map(p => p.getBoundingClientRect().top)")
    assert tops[0] == tops[1]
    tick(runs_list, third)
    heads = runs_list.locator('[data-role="run-pane"] table[aria-label="Facts"] thead th').all_inner_texts()
    assert heads == ["fact", *(f"{run.label} {run.run_id[:8]}" for run in (second, third))]
    assert runs_list.locator("#run-list input:checked").count() == 2


def test_a_run_is_chosen_with_the_keyboard_and_let_go_again(runs_list, runs):
    runs_list.locator("#run-list tbody input").first.focus()
    runs_list.keyboard.press("Space")
    facts(runs_list)
    runs_list.keyboard.press("Space")
    assert runs_list.locator('[data-role="run-pane"]').inner_text() == ""


def test_a_run_that_failed_says_why_and_that_it_has_no_scores(runs_list, runs):
    (broken,) = [run for run in runs if run.status != "ok"]
    tick(runs_list, broken)
    found, _ = facts(runs_list)
    assert found["ended"] == [f"failed: {broken.error}"]
    assert "No task of this run was scored." in runs_list.locator(".beside").inner_text()
    assert runs_list.locator("main script, main img").count() == 0


def test_the_link_of_two_runs_shows_them_when_it_is_opened(visit, address, runs):
    chosen = done(runs)[2:4]
    visit.open(f"{address}#{'&'.join(f'runs={run.run_id[:8]}' for run in chosen)}")
    found, _ = facts(visit.page)
    assert found["order"] == [" → ".join(run.order) for run in chosen]
    assert visit.page.locator('[data-role="run-pane"]').evaluate("pane => pane.getBoundingClientRect().top < 900")
    visit.open(f"{address}#runs=00000000&runs=%3Cscript%3E")  # of another page
    assert visit.page.locator('[data-role="run-pane"]').inner_text() == ""
    assert visit.messages == []


def test_a_page_of_failed_runs_alone_has_them_in_the_list_and_no_curves(visit, make, page_of):
    run = make("m", status="failed", error="broke", scores={}, learn_seconds=[])
    visit.open(f"{page_of([run], metrics=('purity',))}#runs={run.run_id[:8]}")
    found, _ = facts(visit.page)
    assert found["ended"] == ["failed: broke"]
    assert "there is nothing to draw" in visit.page.locator("main").inner_text()
    assert visit.messages == []


def test_the_link_of_a_view_shows_the_same_metric_order_methods_tasks_and_panels(visit, address, runs):
    visit.open(address)
    page = visit.page
    page.select_option('[data-role="metric"]', "nmi")
    page.select_option('[data-role="order"]', "3")
    page.select_option('[data-role="panels"]', "method")
    page.locator('[data-role="methods"] label', has_text="$x$ %{y}").locator("input").uncheck()
    page.locator('[data-role="tasks"] input[value="1"]').uncheck()
    shown, link = visit.drawn(), page.url
    assert set(shown) == {"solo", "<i>first</i>"}
    assert {len(panel) for panel in shown.values()} == {3}
    visit.open(link)
    assert visit.drawn() == shown
    assert page.locator('[data-role="metric"]').input_value() == "nmi"
    assert page.evaluate("Math.abs(document.querySelector('#curves').getBoundingClientRect().top) < 900")
    visit.open(f"{address}#metric=none&order=99&stream=x&methods=y&tasks=z&panels=%22")  # of another page
    assert page.locator('[data-role="metric"]').input_value() == "purity"
    assert visit.messages == []


def test_a_link_chooses_the_stream_and_all_streams_can_be_shown_at_once(visit, make, page_of):
    made = [make("m", stream=name, stream_label=f"{name} & co") for name in ("one", "two")]
    address = page_of(made, metrics=("purity",))
    visit.open(address)
    page = visit.page
    visible = lambda: page.locator(".stream:visible h3").all_inner_texts()  # noqa: E731
    assert visible() == ["one & co"]
    page.select_option('[data-role="stream"]', "two & co")
    assert visible() == ["two & co"]
    link = page.url
    visit.open(link)
    assert visible() == ["two & co"]
    page.select_option('[data-role="stream"]', "all streams")
    assert visible() == ["one & co", "two & co"]
    assert page.locator('[data-role="order"]').is_disabled()
    assert visit.messages == []


def test_a_name_in_the_legend_switches_its_lines_off(opened):
    opened.ready()
    opened.page.locator('[data-role="lifelong"] .legendtoggle').first.click()
    opened.page.wait_for_function("document.querySelectorAll('[data-role=\"methods\"] input:checked').length === 2")
    assert all("solo" not in panel for panel in opened.drawn().values())


def test_a_folder_of_a_thousand_runs_opens_without_a_message_and_all_are_in_the_list(visit, make, page_of):
    made = [make(f"m{m}", ("a", "b", "c"), repeat=r, method=f"m{m}") for m in range(20) for r in range(50)]
    visit.open(page_of(made, metrics=("purity", "nmi")))
    page = visit.page
    page.locator("#runs").evaluate("at => at.scrollIntoView({behavior: 'instant'})")
    info = page.locator(".dt-container:has(#run-list) .dt-info")
    info.wait_for()
    assert info.inner_text().endswith("of 1,000")
    page.get_by_label("Search: Runs").fill(made[777].run_id[:8])
    tick(page, made[777])
    close(matrices(page)[0], expected_matrix(made[777], "purity"))
    assert json.loads(page.locator("#data").text_content())["runs"]["left_out"] == 0
    assert visit.messages == []

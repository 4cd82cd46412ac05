"""Runs made by hand, with names that try to be more than text, the page over them, and a browser to look at it."""

from __future__ import annotations

import os
import random
import shutil
from itertools import permutations

import pytest
from making import make_record, make_solos

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.selection import select
from lcbench.records.record import RunRecord
from lcbench.report.page.content import gather, render

HOSTILE = "<script>alert(1)</script>"
TASKS = (HOSTILE, "b & <b>b</b>", "{{ 7*7 }}")
STREAM = "</script><img src=x onerror=alert(2)>"
METHODS = {"solo": "single-task", "$x$ %{y}": "lifelong", "<i>first</i>": "lifelong"}
METRICS = ("purity", "nmi", "ari")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def make_run(label: str, order: tuple[str, ...] = ("a", "b"), repeat: int = 0, **others: object) -> RunRecord:
    """A run with scores of its own, drawn from a generator that knows which run it is."""
    steps = range(len(order))
    drawn = random.Random(f"{label} {order} {repeat}")
    scores = {metric: [[drawn.random() if j <= i else None for j in steps] for i in steps] for metric in METRICS}
    usual = {
        "method": f"method-{len(label)}", "setting": METHODS.get(label, "lifelong"), "stream": "made-up",
        "stream_label": STREAM, "scores": scores, "environment": {"python": "3.11.7", "packages": {"numpy": "2.0"}},
        "learn_seconds": [drawn.random() for _ in steps], "state_bytes": [drawn.randrange(1000, 9000) for _ in steps],
    }  # fmt: skip
    return make_record(label, order=order, repeat=repeat, **(usual | others))


@pytest.fixture(scope="session")
def make():
    return make_run


@pytest.fixture(scope="session")
def runs() -> list[RunRecord]:
    """Three methods in three orders, two of them with the first as their baseline, and one run that failed."""
    made = []
    for repeat, order in enumerate(list(permutations(TASKS))[:3]):
        baseline = make_run("solo", order, repeat=repeat)
        made.append(baseline)
        made += [make_run(label, order, repeat=repeat, baseline=baseline.run_id) for label in list(METHODS)[1:]]
    broken = make_run("broken", TASKS, status="failed", error=f"no {HOSTILE}", scores={}, learn_seconds=[])
    return [*made, broken]


@pytest.fixture(scope="session")
def solos(runs) -> list[RunRecord]:
    """Each task alone, by the two methods that could learn from other tasks; in each repeat anew."""
    found = {}
    for run in runs:
        if run.baseline is not None:
            for solo in make_solos(run, dict.fromkeys(TASKS, 0.5)):
                drawn = random.Random(f"{solo.label} {solo.order} {solo.repeat} alone")
                solo.scores = {metric: [[drawn.random()]] for metric in METRICS}
                found[solo.run_id] = solo
    assert len(found) == 18
    return list(found.values())


@pytest.fixture(scope="session")
def make_page():
    def make(runs, metrics=METRICS[:2], against=None) -> str:
        selection = select(runs)
        comparison = compare_methods(selection, metrics, against=against)
        return render(gather(selection, comparison, folder=f"results {HOSTILE}", others=True, made_by="lcbench report"))

    return make


@pytest.fixture(scope="session")
def page_of(make_page, tmp_path_factory):
    """The address of the page of runs."""

    def write(runs, **options) -> str:
        file = tmp_path_factory.mktemp("page") / "report.html"
        file.write_text(make_page(runs, **options), encoding="utf-8")
        return file.as_uri()

    return write


@pytest.fixture(scope="session")
def address(runs, solos, page_of) -> str:
    return page_of([*runs, *solos], against="solo")


@pytest.fixture(scope="session")
def browser():
    """A Chromium of this machine; playwright's own is never fetched."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the page is looked at with playwright")
    names = (os.environ.get("LCBENCH_CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    executable = next((path for name in names if name and (path := shutil.which(name))), None)
    if executable is None:
        pytest.skip("there is no chromium here, and LCBENCH_CHROMIUM names none")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=executable, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A tab with a page in it, and what that did: messages, errors, requests, dialogs.

    All pages are shown in one tab, one after the other, where the browser compiles their scripts only once.
    """

    def __init__(self, page) -> None:
        self.page = page
        self.unspoilt = False
        self.messages: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.messages.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.messages.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.messages.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, address: str) -> None:
        """Load a page, in a wide and light window."""
        self.unspoilt = True  # until a test changes what the address does not tell, such as the order of a table
        self.messages.clear()
        self.requests.clear()
        self.widen()
        self.page.goto("about:blank")  # else only the fragment of the address would change
        self.page.goto(address)

    def widen(self) -> None:
        self.page.mouse.move(0, 0)
        self.page.set_viewport_size({"width": 1200, "height": 900})
        self.page.emulate_media(media="screen", color_scheme="light", reduced_motion="reduce")

    def ready(self, figure: str = "lifelong") -> None:
        """Scroll to a figure, which is drawn when it comes near, and wait until it is."""
        plot = self.page.locator(f'[data-role="{figure}"]:visible').first
        plot.evaluate("plot => plot.scrollIntoView({behavior: 'instant'})")
        self.page.wait_for_function(
            """(figure) => [...document.querySelectorAll(`[data-role="${figure}"]`)]
              .filter((plot) => plot.checkVisibility()).every((plot) => plot.data && !plot.waiting)""",
            arg=figure,
        )

    def drawn(self, figure: str = "lifelong") -> dict[str, dict[str, tuple[list[float], list[float]]]]:
        """Lines drawn by plotly: title of the panel -> name of the line -> x and y; texts as plotly decodes them."""
        return {panel: {name: at[:2] for name, at in lines.items()} for panel, lines in self.traces(figure).items()}

    def bands(self, figure: str = "lifelong") -> dict[str, dict[str, list[list[float]]]]:
        """The bands around them: title -> name of the line -> [x, low, high] for each point that has one."""
        return {panel: {name: at[2] for name, at in lines.items()} for panel, lines in self.traces(figure).items()}

    def traces(self, figure: str) -> dict[str, dict[str, tuple[list[float], list[float], list[list[float]]]]]:
        """Title of the panel -> name of the line -> x, y and band, from left to right."""
        self.ready(figure)
        panels = self.page.evaluate(
            """(figure) => {
              const plot = [...document.querySelectorAll(`[data-role="${figure}"]`)].find((at) => at.checkVisibility());
              const area = document.createElement("textarea");
              const text = (html) => { area.innerHTML = html; return area.value; };
              const titles = plot.layout.annotations.map((note) => text(note.text.slice(3, -4)));
              return plot.data.map((line) => [
                titles[Number(line.yaxis.slice(1) || 1) - 1], text(line.name), [...line.x], [...line.y],
                line.fill === "toself"]);
            }""",
            figure,
        )
        found: dict[str, dict[str, tuple[list[float], list[float], list[list[float]]]]] = {}
        band: list[list[float]] = []
        for title, name, x, y, is_band in panels:
            if is_band:  # comes before its line: the lower side from right to left, then the upper one back
                half = len(x) // 2
                assert x[:half] == x[half:][::-1]
                band = [[x[i], y[i], y[-1 - i]] for i in range(half)][::-1]
                continue
            assert name not in found.setdefault(title, {})
            found[title][name] = (x[::-1], y[::-1], band)
            band = []
        return found

    def hover(self, line: int, point: int, figure: str = "lifelong") -> str:
        """The text that is shown when the mouse is at a point of a line, counted without bands and from the left."""
        self.ready(figure)
        at = self.page.evaluate(
            """([figure, line, point]) => {
              const plot = [...document.querySelectorAll(`[data-role="${figure}"]`)].find((at) => at.checkVisibility());
              plot.scrollIntoView({behavior: "instant", block: "center"});
              const trace = plot._fullData.filter((trace) => trace.fill !== "toself")[line];
              point = trace.x.length - 1 - point;
              const x = plot._fullLayout[trace.xaxis.replace("x", "xaxis")];
              const y = plot._fullLayout[trace.yaxis.replace("y", "yaxis")];
              const box = plot.getBoundingClientRect();
              return [box.x + x._offset + x.l2p(trace.x[point]), box.y + y._offset + y.l2p(trace.y[point])];
            }""",
            [figure, line, point],
        )
        text = self.page.locator(f'[data-role="{figure}"]:visible .hoverlayer .hovertext text').first
        self.page.mouse.move(0, 0)
        text.wait_for(state="detached", timeout=5000)  # else the text of the point before could be read
        self.page.mouse.move(at[0] + 3, at[1])
        self.page.mouse.move(*at)
        text.wait_for(timeout=5000)
        return text.text_content()


# The view at its start: an address that chooses nothing.
RESET = """() => new Promise((done) => {
  for (const details of document.querySelectorAll("details")) details.open = details.matches(".section");
  document.activeElement.blur();
  window.addEventListener("hashchange", done, {once: true});
  location.hash = `nothing=${Math.random()}`;
})"""


@pytest.fixture(scope="session")
def visit(browser):
    return Visit(browser.new_page())


@pytest.fixture
def opened(visit, address):
    """The page as it is when it is opened, in a wide and light window; it must have nothing to complain about."""
    if visit.page.url.partition("#")[0] == address and visit.unspoilt:
        visit.widen()
        visit.page.evaluate(RESET)
        visit.page.evaluate("scrollTo({top: 0, behavior: 'instant'})")
    else:
        visit.open(address)
    yield visit
    assert visit.messages == []

"""How long the page over a thousand runs takes to be made and to open, and how large it is."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import statistics
import time
from pathlib import Path

import pytest
from making import make_record
from many_runs import METRICS, TRACE, over_help, seconds_of, write_runs

from lcbench.records.record import RunRecord
from lcbench.records.store import RunStore

METHODS, STREAMS, ORDERS = 20, 5, 10
MOST_BYTES = 12_000_000
MOST_SECONDS = 2
TASKS = tuple(f"task-{i}" for i in range(6))


def record(method: int, stream: int, repeat: int) -> RunRecord:
    drawn = random.Random(f"{method} {stream} {repeat}")
    order = random.Random(repeat).sample(TASKS, len(TASKS))
    steps = range(len(TASKS))
    scores = {m: [[drawn.random() if j <= i else None for j in steps] for i in steps] for m in METRICS}
    return make_record(
        f"method-{method}", order=order, params={"lam": 1.0}, stream=f"stream-{stream}", stream_digest="1",
        repeat=repeat, stream_tasks=TASKS, finished=f"2026-01-01T{repeat:02}:00:00.000+00:00", scores=scores,
        learn_seconds=[drawn.random() for _ in steps], state_bytes=[drawn.randrange(10**6) for _ in steps],
        objective_trace=[TRACE for _ in steps],
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A thousand runs."""
    places = itertools.product(range(METHODS), range(STREAMS), range(ORDERS))
    root = write_runs(tmp_path_factory.mktemp("thousand") / "results", itertools.starmap(record, places))
    assert len(RunStore(root).index()) == 1000
    return root


@pytest.mark.benchmark(group="reports")
def test_the_page_of_a_thousand_runs_over_help(benchmark, folder, tmp_path, hold):
    page = tmp_path / "report.html"
    seconds, ratio = over_help(benchmark, "report", "--results", folder, "--out", page, warmup_rounds=0)
    size = page.stat().st_size
    print(f"\nreport of 1,000 runs: {seconds:.2f} s, {ratio:.1f} times --help, {size / 1e6:.2f} MB")
    assert size < MOST_BYTES
    hold(ratio, 20)


@pytest.mark.benchmark(group="reports")
def test_the_page_of_a_thousand_runs_opens_in_chromium(benchmark, folder, tmp_path, hold):
    playwright = pytest.importorskip("playwright.sync_api", reason="the page is opened with playwright")
    executable = shutil.which(os.environ.get("LCBENCH_CHROMIUM") or "chromium")
    if executable is None:
        pytest.skip("there is no chromium here, and LCBENCH_CHROMIUM names none")
    page = tmp_path / "report.html"
    seconds_of("report", "--results", folder, "--out", page)
    seconds = []
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=executable, args=("--no-sandbox", "--disable-gpu"))

        def opened() -> None:
            tab = browser.new_page()
            start = time.perf_counter()
            tab.goto(page.as_uri())  # until all of its scripts have run
            seconds.append(time.perf_counter() - start)
            tab.close()

        benchmark.pedantic(opened, rounds=5, warmup_rounds=1)
        browser.close()
    median = statistics.median(seconds)
    print(f"\npage of 1,000 runs: opens in {median:.2f} s; the load of this machine is {os.getloadavg()[0]:.1f}")
    hold(median, MOST_SECONDS)

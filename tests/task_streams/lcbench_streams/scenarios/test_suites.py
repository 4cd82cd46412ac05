"""Our suites are what they were: content, streams, orders and seeds of every run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lcbench.contract.hashing import content_id
from lcbench.experiment.suites import read_suite
from lcbench.registry.host import plugin_host
from lcbench_streams import lcbench_register_suites

ROOT = Path(__file__).parents[4]
# A suite never changes: these digests stay as they are, and another suite gets another name.
PINNED = {
    "lifelong-1": (
        "3954fab9305122c2b23560a6a37c0f29d2d2382949fe7d2210fdb95498d06f15",
        "d19fbcff85de67a3c9c8ea3eac91711214bfd1634390f9012f60bd162b07f9c2",
    ),
}


def test_the_suites_are_those_that_are_pinned():
    specs = []
    lcbench_register_suites(register=specs.append)
    assert [spec.name for spec in specs] == list(PINNED)


@pytest.mark.parametrize("name", PINNED)
def test_a_suite_says_what_it_always_said_and_means_the_same_runs(name):
    suite = read_suite(name)
    streams = list(zip(suite.streams, suite.configured(), strict=True))
    runs = [
        [stream.name, stream.params, stream.digest, repeat, list(order)]
        for wanted, stream in streams
        for repeat, order in suite.orders(wanted, stream.task_names)
    ]
    assert len(runs) == sum(wanted.repeats for wanted, _ in streams)
    assert (suite.digest, content_id(runs)) == PINNED[name]


@pytest.mark.parametrize("name", PINNED)
def test_all_streams_of_a_suite_come_by_pip_or_need_no_download(name):
    streams = plugin_host().registry.streams
    data = [streams[each.stream].data for each in read_suite(name).streams]
    assert all(raw is None or (raw.requirement and raw.sha256) for raw in data)


def test_the_page_shows_the_streams_of_the_suite_as_they_are():
    page = (ROOT / "docs" / "suites.md").read_text(encoding="utf-8").split("## lifelong-1")[1]
    suite = read_suite("lifelong-1")
    rows = [f"| `{each.stream}` | {each.tasks} | {each.order} | {each.purpose} |" for each in suite.streams]
    assert re.findall(r"^\| `.*", page, re.MULTILINE) == rows
    assert {each.repeats for each in suite.streams} == {5}
    for name in suite.file.quick.streams:
        assert f"`{name}`" in page.split("The quick version is")[1].split(".")[0]

"""`lcbench run` on data that are not available: it stops, and never runs on a stand-in by itself."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def nothing_at_hand(cache, monkeypatch):
    monkeypatch.setenv("LCBENCH_OFFLINE", "1")


def test_run_stops_with_exit_code_3_and_lists_what_was_tried_and_what_to_do(command, cache):
    called = command("run", "-s", "webkb4", "--json")
    assert (called.code, called.out) == (3, "")
    for line in (
        "The data of 'webkb4' are not available. Tried:", "LCBENCH_DATA: not set",
        f"the cache: not in {cache / 'data'}", "LCBENCH_OFFLINE is set: the network was not asked",
        "LCBENCH_DATA=FOLDER", "--stream webkb4-sim", "--stream reuters",
    ):  # fmt: skip
        assert line in called.err
    assert not Path("lcbench-results").exists()


def test_an_unknown_host_is_listed_among_what_was_tried(command, monkeypatch):
    monkeypatch.delenv("LCBENCH_OFFLINE")
    called = command("run", "-s", "webkb4")
    assert called.code == 3
    assert "webkb4: fetching http://www.cs.cmu.edu/" in called.err
    assert "(11.0 MB)" in called.err
    assert "could not be reached: its host is not known here" in called.err


@pytest.mark.parametrize(
    "line",
    [
        "-s tiny --metric puriti", "-s tiny -m l2cs", "-s tiny -m l2sc:lamb=1", "-s tiny --order nowhere",
        "-s tiny:weighting=counts,idf=task",
    ],
)  # fmt: skip
def test_a_wrong_name_or_parameter_is_refused_before_anything_is_fetched(command, monkeypatch, tiny_stream, site, line):
    monkeypatch.delenv("LCBENCH_OFFLINE")
    assert command("run", *line.split()).code == 2
    assert site.asked == []


@pytest.mark.parametrize("missing", ["stdin", "stderr", "stand-in"])
def test_nothing_is_asked_where_nobody_can_answer_or_there_is_no_stand_in(command, terminal, monkeypatch, missing):
    terminal("y\n")
    if missing == "stdin":
        monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    elif missing == "stderr":
        monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    called = command("run", "-s", "reuters" if missing == "stand-in" else "webkb4")
    assert called.code == 3
    assert "instead?" not in called.err
    assert "LCBENCH_DATA=FOLDER" in called.err


def test_no_is_the_default_and_ends_with_exit_code_3(command, terminal):
    terminal("\n")
    called = command("run", "-s", "webkb4", "--json", "-q")
    assert (called.code, called.out) == (3, "")
    assert "Run on the stand-in 'webkb4-sim' instead? [y/N]" in called.err
    assert "Ways on:" in called.err
    assert called.err.count("are not available") == 1
    assert not Path("lcbench-results").exists()


def test_yes_runs_on_the_stand_in_and_every_record_says_so(command, terminal):
    terminal("y\n")
    called = command("run", "-s", "mine=webkb4:weighting=counts", "-m", "random", "--json", "-q")
    assert called.code == 0
    assert "instead (the parameters of webkb4 do not apply to it)? [y/N]" in " ".join(called.err.split())
    records = [*called.runs, *(json.loads(path.read_text()) for path in Path("lcbench-results/runs").iterdir())]
    assert len(records) == 2
    for record in records:
        assert (record["stream"], record["stream_label"]) == ("webkb4-sim", "webkb4-sim")
        assert "weighting" not in record["stream_params"]


def test_after_a_yes_the_other_streams_are_kept_and_fetched(command, terminal, monkeypatch, tiny_stream, site):
    """webkb4 is not available, and the stream after it is still to be fetched."""
    monkeypatch.delenv("LCBENCH_OFFLINE")
    terminal("y\n")
    called = command("run", "-s", "digits", "-s", "webkb4", "-s", "tiny", "-m", "random", "--json", "-q")
    assert {run["stream"] for run in called.runs} == {"digits", "tiny", "webkb4-sim"}
    assert f"tiny: fetching {site.url} (4.3 kB)" in called.err


def test_a_name_with_escapes_cannot_colour_the_question(command, terminal, monkeypatch, tiny_stream, tmp_path):
    monkeypatch.setenv("LCBENCH_DATA", str(tmp_path / "\x1b[31mred"))
    terminal("n\n")
    called = command("run", "-s", "tiny")
    assert "[31mred" in called.err
    assert "\x1b[31m" not in called.err

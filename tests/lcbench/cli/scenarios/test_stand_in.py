"""`lcbench run` on data that are not available: it stops, and never runs on a stand-in by itself."""

from __future__ import annotations

import io
import json
import sys

import pytest


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def nothing_at_hand(cache, monkeypatch):
    monkeypatch.setenv("LCBENCH_OFFLINE", "1")


@pytest.fixture
def terminal(monkeypatch):
    """A person at a terminal who types this."""

    def types(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", Terminal(text))
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    return types


def test_run_stops_with_exit_code_3_and_lists_what_was_tried_and_what_to_do(command, cache, tmp_path):
    called = command("run", "-s", "webkb4", "--out", str(tmp_path / "out"), "--json")
    assert (called.code, called.out) == (3, "")
    for line in (
        "The data of 'webkb4' are not available. Tried:",
        "LCBENCH_DATA: not set",
        f"the cache: not in {cache / 'data'}",
        "LCBENCH_OFFLINE is set: the network was not asked",
        "LCBENCH_DATA=FOLDER",
        "--stream webkb4-sim",
        "--stream reuters",
    ):
        assert line in called.err
    assert not (tmp_path / "out").exists()


def test_an_unknown_host_is_listed_among_what_was_tried(command, monkeypatch):
    monkeypatch.delenv("LCBENCH_OFFLINE")
    called = command("run", "-s", "webkb4")
    assert called.code == 3
    assert "webkb4: fetching http://www.cs.cmu.edu/" in called.err
    assert "(11.0 MB)" in called.err
    assert "could not be reached: its host is not known here" in called.err


@pytest.mark.parametrize(
    "arguments", [("--metric", "puriti"), ("-m", "l2cs"), ("-m", "l2sc:lamb=1"), ("--order", "nowhere")]
)
def test_a_wrong_name_is_refused_before_anything_is_fetched(command, monkeypatch, tiny_stream, site, arguments):
    monkeypatch.delenv("LCBENCH_OFFLINE")
    assert command("run", "-s", "tiny", *arguments).code == 2
    assert site.asked == []


def test_an_idf_without_effect_is_refused_before_anything_is_fetched(command, monkeypatch, tiny_stream, site):
    monkeypatch.delenv("LCBENCH_OFFLINE")
    called = command("run", "-s", "tiny:weighting=counts,idf=task")
    assert called.code == 2
    assert site.asked == []


def test_nothing_is_asked_if_standard_input_is_no_terminal(command, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    called = command("run", "-s", "webkb4")
    assert called.code == 3
    assert "instead?" not in called.err


def test_nothing_is_asked_if_standard_error_is_no_terminal(command, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    called = command("run", "-s", "webkb4")
    assert called.code == 3
    assert "instead?" not in called.err


@pytest.mark.parametrize("answer", ["\n", "n\n", "no\n"])
def test_no_is_the_default_and_ends_with_exit_code_3(command, terminal, tmp_path, answer):
    terminal(answer)
    called = command("run", "-s", "webkb4", "--out", str(tmp_path / "out"))
    assert (called.code, called.out.strip()) == (3, "")
    assert "Run on the stand-in 'webkb4-sim' instead? [y/N]" in called.err
    assert "Ways on:" in called.err
    assert called.err.count("are not available") == 1
    assert not (tmp_path / "out").exists()


def test_yes_runs_on_the_stand_in_and_every_record_says_so(command, terminal, tmp_path):
    terminal("y\n")
    out = tmp_path / "out"
    called = command("run", "-s", "mine=webkb4:weighting=counts", "-m", "kmeans", "--json", "-q", "--out", str(out))
    assert called.code == 0
    records = [*called.runs, *(json.loads(path.read_text()) for path in (out / "runs").iterdir())]
    assert len(records) == 2
    for record in records:
        assert (record["stream"], record["stream_label"]) == ("webkb4-sim", "webkb4-sim")
        assert "weighting" not in record["stream_params"]


def test_yes_keeps_the_other_streams(command, terminal):
    terminal("y\n")
    called = command("run", "-s", "digits", "-s", "webkb4", "-m", "kmeans", "--json", "-q")
    assert {run["stream"] for run in called.runs} == {"digits", "webkb4-sim"}


def test_after_a_yes_the_data_of_other_streams_are_fetched(command, terminal, monkeypatch, tiny_stream, site):
    """webkb4 is not available, and the stream after it is still to be fetched."""
    monkeypatch.delenv("LCBENCH_OFFLINE")
    terminal("y\n")
    called = command("run", "-s", "webkb4", "-s", "tiny", "-m", "kmeans", "--json", "-q")
    assert {run["stream"] for run in called.runs} == {"tiny", "webkb4-sim"}
    assert f"tiny: fetching {site.url} (4.3 kB)" in called.err


def test_a_stream_without_a_stand_in_is_not_asked_about(command, terminal):
    terminal("y\n")
    called = command("run", "-s", "reuters")
    assert called.code == 3
    assert "instead?" not in called.err
    assert "LCBENCH_DATA=FOLDER  a folder with the wheel" in called.err


def test_the_end_of_the_input_counts_as_no(command, terminal):
    terminal("")
    called = command("run", "-s", "webkb4")
    assert called.code != 0
    assert called.out.strip() == ""


@pytest.mark.parametrize("answer", ["n\n", "y\n"])
def test_the_question_leaves_nothing_on_standard_output(command, terminal, answer):
    terminal(answer)
    called = command("run", "-s", "webkb4", "-m", "kmeans", "--json", "-q")
    assert called.out == "".join(json.dumps(run) + "\n" for run in called.runs)


def test_a_name_with_escapes_cannot_colour_the_question(command, terminal, monkeypatch, tiny_stream, tmp_path):
    monkeypatch.setenv("LCBENCH_DATA", str(tmp_path / "\x1b[31mred"))
    terminal("n\n")
    called = command("run", "-s", "tiny")
    assert "[31mred" in called.err
    assert "\x1b[31m" not in called.err

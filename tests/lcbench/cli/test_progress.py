from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
from compared_runs import nmi_run
from making import make_record

import lcbench
from lcbench.cli.progress import JsonLines, Progress, TransferBars


def transfer(name: str, total: int | None, received: int) -> None:
    bars = TransferBars()
    bars.begin(name, total)
    bars.advance(received)
    bars.end()
    bars.advance(1)  # after the end nothing is shown
    bars.end()


def letters(text: str) -> str:
    """The text without escape sequences."""
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", text)


@pytest.fixture
def errors_of(command, monkeypatch):
    """Returns the text that a run writes to standard error, if that is no terminal."""
    for seconds in ("cli.progress.SECONDS_BETWEEN_LINES", "experiment.tally.SECONDS_UNTIL_ESTIMATE"):
        monkeypatch.setattr(f"lcbench.{seconds}", math.inf)  # however slow the machine is
    return lambda *arguments: command("run", *arguments).err


def test_without_a_terminal_each_finished_run_is_a_plain_line(errors_of):
    lines = errors_of("-m", "one-cluster", "-m", "random").splitlines()
    assert [re.sub(r"[\d.]+ s$", "TIME", line) for line in lines] == [
        "[1/2] digits: one-cluster: done, 4 tasks, TIME",
        "[2/2] digits: random: done, 4 tasks, TIME",
        "2 runs in lcbench-results: 'lcbench compare' has tables, 'lcbench plot lifelong' draws the curves, "
        "'lcbench report' makes a page",
    ]


def test_a_run_that_failed_says_so(errors_of):
    assert "[1/1] digits: l2sc:k=500: failed, 0 tasks" in errors_of("-m", "l2sc:k=500", "--no-baseline", "--no-solo")


def test_a_long_run_says_how_far_it_is(errors_of, monkeypatch):
    monkeypatch.setattr("lcbench.cli.progress.SECONDS_BETWEEN_LINES", 0.0)
    assert "[1/1] digits: one-cluster: task 2/4 (task-2), " in errors_of("-m", "one-cluster")


def test_the_time_that_is_left_is_that_of_the_runs_so_far(capsys, monkeypatch, on_screen):
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr("lcbench.cli.progress.time.monotonic", lambda: clock.now)
    runs = [nmi_run(f"m{i}", [0.5, None]) for i in range(4)]

    def carry_out(begun) -> None:
        with Progress() as progress:
            progress.add([SimpleNamespace(solo=False)] * 4)
            for run in begun:
                progress.lcbench_run_started(run=run)
                clock.now += 60
                progress.lcbench_run_finished(run=run)

    carry_out(runs)
    ends = [line.partition(" tasks, ")[2].partition(" s")[2] for line in capsys.readouterr().err.splitlines()]
    assert ends == [", about 3 min left", ", about 2 min left", ", about 60 s left", ""]
    assert "elapsed, about 3 min left" in " ".join(letters(on_screen(120, carry_out, runs[:1])).split())


def test_a_terminal_shows_stream_method_task_and_elapsed_time_unless_it_is_to_be_quiet(on_screen, blob_stream):
    def run(quiet: bool) -> None:
        with Progress(total=1, quiet=quiet) as progress:
            lcbench.run("one-cluster", blob_stream, listeners=[progress], executor=lcbench.InProcess())

    assert on_screen(120, run, True) == ""
    shown = on_screen(120, run, False)
    assert "[1/1] blobs: one-cluster, task 3/3" in shown
    assert re.search(r"\d+ s elapsed", shown)
    assert "done" not in shown


@pytest.mark.parametrize("name", ["[red]x[/red]", "esc\x1b[31mape"])
def test_a_name_is_shown_as_text(capsys, blob_stream, name):
    with Progress(total=1) as progress:
        lcbench.run("one-cluster", {name: blob_stream}, listeners=[progress], executor=lcbench.InProcess())
    assert f"[1/1] {name.replace(chr(27), chr(0xFFFD))}: one-cluster: done" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_results_go_to_standard_output_also_when_progress_is_shown_on_a_terminal(tmp_path):
    import pty

    screen, terminal = pty.openpty()
    line = [sys.executable, "-m", "lcbench", "run", "--json", "-m", "one-cluster"]
    with (tmp_path / "out").open("wb") as out:
        ended = subprocess.run(line, stdout=out, stderr=terminal)
    os.close(terminal)
    os.close(screen)
    assert ended.returncode == 0
    assert json.loads((tmp_path / "out").read_text())["method"] == "one-cluster"


def test_json_lines_write_each_run_once_and_those_done_before_at_the_end(capsys):
    now, before = nmi_run("now", [0.5, None]), nmi_run("before", [0.25, 0.75])
    lines = JsonLines()
    lines.lcbench_run_finished(run=now)
    lines.rest([before, now])
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [run["run_id"] for run in written] == [now.run_id, before.run_id]
    assert written[0]["scores"]["nmi"][1] == [0.5, None]


def test_a_message_about_a_download_is_one_harmless_line_and_without_a_terminal_no_bar_is_shown(capsys):
    TransferBars().say("tiny: fetching\nhttp://x\x1b[2J")
    transfer("tiny.tar.gz", 4000, 4000)
    written = "lcbench: tiny: fetching\N{REPLACEMENT CHARACTER}http://x\N{REPLACEMENT CHARACTER}[2J\n"
    assert capsys.readouterr() == ("", written)


def test_a_terminal_shows_the_name_of_a_download_and_the_bytes_received_and_to_come(on_screen, capsys):
    written = on_screen(120, transfer, "[red]tiny\x1b[2J", 4000, 1500)
    shown = letters(written)
    assert "[red]tiny\N{REPLACEMENT CHARACTER}[2J" in shown
    assert "1.5/4.0 kB" in shown
    assert capsys.readouterr().out == ""
    assert written.rstrip("\n").endswith("\x1b[2K")  # the bar is taken away


def test_a_download_of_unknown_size_has_no_bar_and_no_bytes(on_screen):
    shown = letters(on_screen(120, transfer, "tiny.tar.gz", None, 500))
    assert "tiny.tar.gz" in shown
    assert re.search(r"\d:\d\d:\d\d", shown)
    assert not re.search(r"\d (bytes|kB)|━", shown)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still at 1,000 s."""
    monkeypatch.setattr("lcbench.cli.progress.time.monotonic", lambda: 1000.0)


def said(progress, capsys, seconds: float) -> list[str]:
    """The lines about runs of which nothing was heard for so many seconds, without the time of day."""
    progress.look(1000.0 + seconds)
    return [re.sub(r"\d\d:\d\d:\d\d", "TIME", line) for line in capsys.readouterr().err.splitlines()]


@pytest.mark.usefixtures("clock")
def test_a_run_of_which_nothing_is_heard_says_where_it_is_after_30_s_60_s_and_so_on(capsys):
    progress, run = Progress(2), make_record("slow", order=("a", "b", "c"))
    progress.lcbench_run_started(run)
    assert said(progress, capsys, 29) == []
    assert said(progress, capsys, 30) == ["[1/2] s: slow: still at task 1/3 (a), since TIME (30 s)"]
    assert said(progress, capsys, 59) == []
    assert said(progress, capsys, 60) == ["[1/2] s: slow: still at task 1/3 (a), since TIME (60 s)"]
    assert said(progress, capsys, 119) == []
    progress.lcbench_task_learned(run, SimpleNamespace(learned=1, task="a"))
    assert said(progress, capsys, 31) == ["[1/2] s: slow: still at task 2/3 (b), since TIME (31 s)"]
    progress.lcbench_task_learned(run, SimpleNamespace(learned=3, task="c"))
    assert said(progress, capsys, 40) == ["[1/2] s: slow: still busy after its last task, since TIME (40 s)"]
    progress.lcbench_run_finished(run)
    capsys.readouterr()
    assert said(progress, capsys, 500) == []


def test_while_an_experiment_goes_on_somebody_looks_at_its_runs_again_and_again(monkeypatch):
    monkeypatch.setattr("lcbench.cli.progress.SECONDS_BETWEEN_LOOKS", 0.001)
    looks, twice = [], threading.Event()

    def look(progress, now):
        looks.append(now)
        if len(looks) == 2:
            twice.set()

    monkeypatch.setattr(Progress, "look", look)
    with Progress(1):
        assert twice.wait(30)
    assert looks == sorted(looks)


@pytest.mark.usefixtures("clock")
def test_of_several_runs_at_a_time_each_says_where_it_is(capsys):
    progress = Progress(2)
    for name in ("one", "two"):
        progress.lcbench_run_started(make_record(name, method=name, order=("a", "b")))
    assert said(progress, capsys, 31) == [
        "[1/2] s: one: still at task 1/2 (a), since TIME (31 s)",
        "[1/2] s: two: still at task 1/2 (a), since TIME (31 s)",
    ]
    quiet = Progress(2, quiet=True)
    quiet.lcbench_run_started(make_record("one", order=("a", "b")))
    assert said(quiet, capsys, 31) == []


@pytest.mark.usefixtures("clock")
def test_the_live_line_says_how_long_a_run_is_at_its_task(on_screen):
    def slow():
        with Progress(1) as progress:
            progress.lcbench_run_started(make_record("slow", order=("a", "b", "c")))
            progress.look(1045.0)
            progress._live.refresh()

    shown = letters(on_screen(120, slow))
    assert re.search(r"\[1/1\] \w+: slow, still at task 1/3 \(a\), since [\d:]+ \(45 s\)", shown)

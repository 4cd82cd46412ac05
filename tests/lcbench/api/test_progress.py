from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from making import make_record, make_stream

import lcbench
from lcbench.api import progress
from lcbench.api.progress import NotebookBar, ProgressListener, is_notebook, progress_shown


class Seen:
    """A display that keeps what it is shown."""

    def __init__(self):
        self.shown, self.ended = [], []

    def show(self, done, total, text):
        self.shown.append((done, total, text))

    def end(self, text):
        self.ended.append(text)


@pytest.fixture
def seen(monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_UPDATES", 0)
    return Seen()


def test_runs_are_counted_and_the_task_is_shown(seen):
    shown = ProgressListener(seen)
    shown.add([None, None])
    run = make_record("l2sc")
    shown.lcbench_run_started(run)
    shown.lcbench_task_learned(run, SimpleNamespace(learned=1))
    shown.lcbench_run_finished(run)
    shown.lcbench_run_finished(make_record(status="failed"))
    shown.close()
    assert seen.shown == [
        (0, 2, "s: l2sc, run 1/2, task 1/2, 0 s elapsed"), (0.5, 2, "s: l2sc, run 1/2, task 2/2, 0 s elapsed"),
    ]  # fmt: skip
    assert seen.ended == ["2 runs in 0 s, 1 did not end well"]


def test_nothing_is_left_where_nothing_was_run(seen):
    ProgressListener(seen).close()
    assert (seen.shown, seen.ended) == ([], [""])


def test_progress_is_shown_by_itself_in_a_notebook_only(monkeypatch, capsys):
    shell = type("ZMQInteractiveShell", (), {})()
    for ipython, expected in ((None, False), (SimpleNamespace(get_ipython=lambda: None), False)):
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        assert is_notebook() is expected
        with progress_shown(None) as shown:
            assert shown is None
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert is_notebook()
    with progress_shown(False) as shown:
        assert shown is None


def test_a_bar_of_a_notebook_is_drawn_once_and_then_replaced(monkeypatch):
    calls = []

    class Handle:
        def update(self, shown, raw):
            calls.append(("update", shown))

    def display(shown, raw, display_id):
        calls.append(("display", shown))
        return Handle()

    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    bar = NotebookBar()
    bar.end("")
    bar.show(1, 4, "<l2sc>")
    bar.end("4 runs")
    assert [what for what, _ in calls] == ["display", "update"]
    assert calls[0][1]["text/html"] == '<div><progress value="1" max="4"></progress> &lt;l2sc&gt;</div>'
    assert calls[1][1]["text/plain"] == "4 runs"


def test_a_script_may_ask_for_progress_and_sees_how_many_runs_there_were(capsys):
    lcbench.run("kmeans", make_stream(), progress=True)
    said = capsys.readouterr()
    assert said.out == ""
    assert "1 run in" in said.err

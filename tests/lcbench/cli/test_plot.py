"""`lcbench plot`, from stored runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from making import make_record, make_results

from lcbench.records.record import FAILED
from lcbench.report.figures import kinds

CENSUS = """
from lcbench.report.figures.chart import Chart, DotPanel, Dots
from lcbench.report.figures.kind import Kind


def charts(selection, metrics, named):
    for stream in selection.streams:
        count = sum(len(method.done) for method in stream.methods)
        rows = (Dots("runs", (float(count),), float(count), 0.0),)
        yield Chart((stream.label,), "Census", "", (DotPanel("", "runs", rows),)) if count > 1 else None


KIND = Kind(
    "census",
    "how many runs there are",
    per="stream",
    build=charts,
    lacking="one run is no crowd",
    options="--repeats 2",
    notes=lambda selection, named: ["Nobody was asked twice."],
)
"""


@pytest.fixture
def two_runs():
    """In the default folder: l2sc on two tasks, and its baseline."""
    R = [[0.5, None], [0.6, 0.8]]
    usual = {
        "stream": "digits", "stream_label": "digits:tasks=2", "order": ("task-1", "task-2"),
        "scores": {"purity": R, "nmi": R}, "objective_trace": [[2.0, 1.0, 0.5]] * 2,
    }  # fmt: skip
    baseline = make_record("stsc", setting="single-task", **usual)
    return make_results(baseline, make_record("l2sc", baseline=baseline.run_id, **usual))


@pytest.fixture
def ran(command):
    """Runs l2sc on two small tasks."""

    def run(*arguments):
        called = command("run", "-m", "l2sc", "-s", "digits:tasks=2,per_class=5", "--no-solo", "--quiet", *arguments)
        assert called.code == 0, called.err

    return run


def texts_of(file):
    return {text.text for text in ElementTree.parse(file).iter("{http://www.w3.org/2000/svg}text")}


def test_a_new_kind_is_one_file_and_help_drawing_notes_errors_and_advice_follow_from_it(command, tmp_path, monkeypatch):
    (tmp_path / "census.py").write_text(CENSUS)
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(tmp_path)])
    assert "census: how many runs there are" in command("plot", "--help").out
    assert "There is no figure 'sensus'. Did you mean 'census'?" in command("plot", "sensus").err
    make_results(make_record("l2sc", stream="digits"))
    assert command("plot", "census").err == (
        "lcbench: There is nothing to draw: one run is no crowd: 'lcbench run' with --repeats 2 makes such runs.\n"
    )
    make_results(make_record("l2sc", stream="digits", repeat=1))
    called = command("plot", "census", "--format", "svg")
    assert (called.out, called.err) == ("census-digits.svg\n", "Nobody was asked twice.\n")
    assert {"Census", "runs"} <= texts_of("census-digits.svg")


def test_a_file_says_its_format_and_a_folder_is_made(command, two_runs):
    assert command("plot", "runtime", "--out", "x.svg").out == "x.svg\n"
    assert {"Time to learn all 2 tasks of digits:tasks=2", "l2sc", "stsc"} <= texts_of("x.svg")
    called = command("plot", "cost", "--out", "new/folder", "--format", "pdf")
    assert called.out == f"{Path('new/folder/cost-digits-tasks=2.pdf')}\n"
    assert Path("new/folder/cost-digits-tasks=2.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("kind", ["lifelong", "convergence"])
def test_a_figure_of_one_run_is_named_after_what_it_shows_and_its_path_is_printed(command, two_runs, kind):
    called = command("plot", kind, "--metric", "nmi")
    assert (called.code, called.out, called.err) == (0, f"{kind}-digits-tasks=2-l2sc.png\n", "")
    assert Path(called.out.strip()).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("command_line", [("plot", "lifelong"), ("compare",)])
def test_a_metric_whose_plugin_is_gone_is_still_shown(command, refused, command_line):
    make_results(make_record(metric="gone"))
    assert command(*command_line, "--metric", "gone").code == 0
    assert "lost" in refused(*command_line, "--metric", "lost")


def test_a_grid_gives_parameters_also_when_it_was_tuned_over(command, ran):
    ran("--grid", "l2sc.lam=0.1,1", "--tune", "oracle")
    called = command("plot", "parameters", "--out", "p.svg")
    assert called.code == 0, called.err
    assert {"lam", "0.1", "1", "default", "purity", "nmi", "ri", "score (%)"} <= texts_of("p.svg")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "file"),
    {
        "parameters": "parameters-digits-tasks=2-per_class=5-l2sc.png",
        "orders": "orders-digits-tasks=2-per_class=5.png",
        "transfer": "transfer-digits-tasks=2-per_class=5-l2sc.png",
    }.items(),
)
def test_where_there_is_nothing_to_draw_the_options_in_the_message_make_the_runs(command, refused, ran, kind, file):
    ran()
    sentence, _, advice = refused("plot", kind).partition(": 'lcbench run' with ")
    assert sentence.startswith("There is nothing to draw: ")
    assert not list(Path().glob("*.png"))
    options = advice.removesuffix(" makes such runs.\n").replace("METHOD.PARAMETER", "l2sc.lam").split()
    ran(*options)
    assert command("plot", kind).out == f"{file}\n"
    if kind == "transfer":  # whose runs leave a task out and have several orders too
        assert "left out" in command("plot", "orders").err


def test_single_task_methods_are_left_out_with_a_note(command):
    make_results(make_record("l2sc"), make_record("kmeans", setting="single-task"))
    called = command("plot", "lifelong")
    assert called.out == "lifelong-s-l2sc.png\n"
    assert called.err.startswith("s: single-task methods keep nothing from task to task")
    assert called.err.endswith("unless --method names them: kmeans.\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ranks",), "runs on 1 stream, and mean ranks say something from 5 streams on"),
        (("lifelong", "--results", "failed"), "no run that fits came to its end"),
        (("lifelong", "--format", "jpg"), "--format takes one of png, svg, pdf, not 'jpg'."),
        (("lifelong", "--metric", "purty"), "Did you mean 'purity'"),
        (("lifelong", "--metric", "silhouette"), "'lcbench run --metric silhouette' adds it"),
        (
            ("lifelong", "-m", "stsc", "-m", "l2sc", "--out", "one.png"),
            "These are 2 figures, and 'one.png' is one file",
        ),
        (("lifelong", "--results", "many"), "These would be 101 figures: choose some"),
        (("lifelong", "--out", "a.jpg"), "'a.jpg' does not say its format: end it in .png, .svg or .pdf, or"),
        (("lifelong", "--out", "file/below"), "The folder 'file/below' cannot be made"),
        (("lifelong", "--out", "file"), "The folder 'file' cannot be made"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_one_sentence(refused, two_runs, arguments, said):
    Path("file").write_text("")
    make_results(make_record(status=FAILED), folder="failed")
    if "many" in arguments:
        make_results(*(make_record(f"m{i}") for i in range(101)), folder="many")
    assert said in refused("plot", *arguments)


def test_a_method_that_failed_in_every_run_is_named(command):
    make_results(make_record("l2sc"), make_record("broken", status=FAILED))
    called = command("plot", "runtime")
    assert (called.code, called.err) == (0, "s: broken is not drawn, for it did not end well (1 run).\n")


@pytest.mark.slow
def test_a_backend_that_does_not_exist_does_not_matter(folder):
    environment = {**os.environ, "MPLBACKEND": "nonsense"}
    command = [sys.executable, "-m", "lcbench", "plot", "lifelong", "--stream", "s"]
    drawn = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert Path(drawn.stdout.strip()).read_bytes().startswith(b"\x89PNG")


def test_a_backend_is_not_asked_for(command, folder, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "nonsense")
    assert command("plot", "lifelong", "--stream", "s").code == 0
    assert "MPLBACKEND" not in os.environ


def test_without_a_kind_the_kinds_are_listed_with_a_line_each(command):
    done = command("plot")
    assert (done.code, done.err) == (0, "")
    for name in ("lifelong", "convergence", "ranks"):
        assert sum(line.strip().startswith(f"{name} ") for line in done.out.splitlines()) == 1
    assert not list(Path.cwd().iterdir())


def test_a_figure_for_a_paper_is_a_pdf_with_its_caption_in_a_file_beside_it(command, two_runs):
    done = command("plot", "lifelong", "--paper", "--metric", "nmi", "--names", "task-1=First task")
    assert done.out.split() == ["lifelong-digits-tasks=2-l2sc.pdf", "lifelong-digits-tasks=2-l2sc.txt"]
    pdf, caption = map(Path, done.out.split())
    assert pdf.read_bytes().startswith(b"%PDF")
    assert caption.read_text(encoding="utf-8").startswith(
        "L²SC on Digits (tasks=2): each task as more are learned (1 order"
    )
    assert "Hollow: the task by stSC" in caption.read_text(encoding="utf-8")
    for width, inches in (("column", 77 / 25.4), ("100", 100 / 25.4)):
        assert command("plot", "runtime", "--paper", "--width", width, "--font-size", "6", "--out", "r.svg").code == 0
        points = float(ElementTree.parse("r.svg").getroot().get("width").removesuffix("pt"))
        assert points == pytest.approx(72 * inches)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--width page", "--width is for figures of a paper: add --paper."),
        ("--font-size 9", "--font-size is for figures of a paper: add --paper."),
        ("--paper --width wide", "--width takes column, page or a number of millimetres"),
        ("--paper --font-family nothing-like-it", "matplotlib finds no font 'nothing-like-it' here"),
        ("--names l2cs=X", "nothing here is called 'l2cs'"),
    ],
)
def test_an_option_of_papers_that_cannot_be_followed_is_refused(refused, two_runs, arguments, sentence):
    assert sentence in refused("plot", "runtime", *arguments.split())

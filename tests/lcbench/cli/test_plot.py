"""`lcbench plot`, from runs that `lcbench run` made."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import lcbench
from lcbench.records.record import FAILED, RunRecord
from lcbench.records.store import RunStore
from lcbench.report.figures.figure_kinds import KINDS

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def one_run(tmp_path_factory):
    """l2sc on two small tasks, and its baseline."""
    folder = tmp_path_factory.mktemp("one") / "runs"
    lcbench.run("l2sc", "digits:tasks=2", out=folder)
    return folder


@pytest.fixture
def ran(command, one_run):
    """Runs the given methods on two small tasks; without arguments copies that one run."""

    def run(*arguments):
        if not arguments:
            shutil.copytree(one_run, "lcbench-results")
            return
        called = command("run", "-s", "digits:tasks=2", "--quiet", *arguments)
        assert called.code == 0, called.err

    return run


def test_a_figure_is_named_after_what_it_shows_and_its_path_is_printed(command, ran):
    ran("-m", "l2sc", "-m", "stsc")
    called = command("plot", "lifelong")
    assert called.code == 0, called.err
    assert called.out == "lifelong-digits-tasks=2-l2sc.png\n"
    assert Path("lifelong-digits-tasks=2-l2sc.png").read_bytes().startswith(b"\x89PNG")


def test_a_file_says_its_format_and_a_folder_is_made(command, ran):
    ran()
    assert command("plot", "runtime", "--out", "x.svg").out == "x.svg\n"
    texts = [text.text for text in ElementTree.parse("x.svg").iter(f"{SVG}text")]
    assert "Time to learn all 2 tasks of digits:tasks=2" in texts
    assert {"l2sc", "stsc"} <= set(texts)
    called = command("plot", "cost", "--out", "new/folder", "--format", "pdf")
    assert called.out == f"{Path('new/folder/cost-digits-tasks=2.pdf')}\n"
    assert Path("new/folder/cost-digits-tasks=2.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("kind", ["lifelong", "convergence", "runtime", "cost"])
def test_one_run_is_enough_for_these_figures(command, ran, kind):
    ran()
    called = command("plot", kind, "--metric", "nmi")
    assert (called.code, called.err) == (0, "")
    assert Path(called.out.strip()).exists()


@pytest.mark.parametrize("command_line", [("plot", "lifelong"), ("compare",)])
def test_a_metric_whose_plugin_is_gone_is_still_shown(command, ran, command_line):
    ran()
    store = RunStore("lcbench-results")
    for record in list(map(store.load, store.index())):
        record.scores = {"gone": record.scores["nmi"]}
        store.save(record)
    assert command(*command_line, "--metric", "gone").code == 0
    refused = command(*command_line, "--metric", "lost")
    assert (refused.code, refused.err.count("\n")) == (2, 1)


def test_a_grid_gives_parameters_also_when_it_was_tuned_over(command, ran):
    ran("-m", "l2sc", "--grid", "l2sc.lam=0.1,1", "--tune", "oracle")
    called = command("plot", "parameters", "--out", "p.svg")
    assert called.code == 0, called.err
    texts = {text.text for text in ElementTree.parse("p.svg").iter(f"{SVG}text")}
    assert {"lam", "0.1", "1", "default", "purity", "nmi", "ri", "score (%)"} <= texts


def test_orders_and_transfer_come_from_leave_one_out_runs(command, ran):
    ran("-m", "l2sc", "--order", "leave-one-out", "--repeats", "2")
    assert command("plot", "transfer").out == "transfer-digits-tasks=2-l2sc.png\n"
    called = command("plot", "orders")
    assert called.out == "orders-digits-tasks=2.png\n"
    assert "left out" in called.err


def test_ranks_are_refused_below_five_streams_with_the_reason(command, ran):
    ran()
    called = command("plot", "ranks")
    assert called.code == 2
    assert "runs on 1 stream, and mean ranks say something from 5 streams on" in called.err


@pytest.mark.parametrize("kind", ["parameters", "orders", "transfer"])
def test_where_there_is_nothing_to_draw_the_command_in_the_message_makes_the_runs(command, ran, kind):
    ran("-m", "mine=l2sc:mu=0.1", "--out", "my runs")
    called = command("plot", kind, "--results", "my runs")
    assert called.code == 2
    assert not list(Path().glob("*.png"))
    sentence, _, advised = called.err.strip().partition(" This makes such runs: ")
    assert sentence.startswith("lcbench: There is nothing to draw: ")
    words = shlex.split(advised)
    assert words[:6] == ["lcbench", "run", "--method", "l2sc:mu=0.1", "--stream", "digits:tasks=2"]
    made = command(*words[1:], "--quiet")
    assert made.code == 0, made.err
    assert command("plot", kind, "--results", "my runs").code == 0


@pytest.mark.parametrize("kind", ["parameters", "orders", "transfer"])
def test_of_several_stored_methods_the_advice_takes_a_lifelong_one(command, ran, kind):
    ran("-m", "kmeans", "-m", "pooled-kmeans", "-m", "l2sc")
    assert " --method l2sc --stream digits:tasks=2 " in command("plot", kind).err


@pytest.mark.parametrize(
    ("kind", "method", "advised"),
    [
        ("parameters", "kmeans", "--method kmeans --stream digits:tasks=2 --grid kmeans.n_init=5,10,20"),
        ("parameters", "lssmtc", "--method lssmtc --stream digits:tasks=2 --grid lssmtc.lam=0.001,0.01,0.1,1"),
        ("parameters", "random", "--grid l2sc.lam="),
        ("transfer", "kmeans", "--method l2sc "),
    ],
)
def test_the_advice_names_values_that_are_taken_and_a_method_that_can_show_something(
    command, ran, kind, method, advised
):
    ran("-m", method)
    called = command("plot", kind)
    assert advised in called.err
    made = command(*shlex.split(called.err.partition(" This makes such runs: ")[2])[1:], "--quiet")
    assert made.code == 0, made.err
    assert command("plot", kind).code == 0


def test_a_single_task_method_that_is_named_is_advised(command, ran):
    ran("-m", "kmeans")
    assert (
        "--method kmeans --stream digits:tasks=2 --order leave-one-out"
        in command("plot", "transfer", "--method", "kmeans").err
    )


def test_single_task_methods_that_are_not_drawn_are_named(command, ran):
    ran("-m", "l2sc", "-m", "kmeans")
    called = command("plot", "lifelong")
    assert called.out == "lifelong-digits-tasks=2-l2sc.png\n"
    assert called.err.startswith("digits:tasks=2: single-task methods keep nothing from task to task")
    assert called.err.endswith("unless --method names them: kmeans.\n")


def test_a_method_without_an_objective_cannot_converge(command, ran):
    ran("-m", "kmeans")
    called = command("plot", "convergence")
    assert called.code == 2
    assert "none of these methods records its objective" in called.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("lifelnog",), "There is no figure 'lifelnog'. Did you mean 'lifelong'?"),
        (("lifelong", "--results", "nowhere"), "There is no folder 'nowhere'"),
        (("lifelong", "--format", "jpg"), "--format takes one of png, svg, pdf, not 'jpg'."),
        (("lifelong", "--format", "png", "--out", "a.svg"), "'a.svg' says svg and --format says png"),
        (("lifelong", "--metric", "purty"), "Did you mean 'purity'"),
        (("lifelong", "--metric", "silhouette"), "'lcbench run --metric silhouette' adds it"),
        (("lifelong", "--method", "kmeans"), "none of the 2 runs in 'lcbench-results' fits"),
        (
            ("lifelong", "--method", "stsc", "--method", "l2sc", "--out", "one.png"),
            "These are 2 figures, and 'one.png'",
        ),
        (("lifelong", "--out", "a.jpg"), "'a.jpg' says jpg, which is not drawn: end it in .png, .svg or .pdf."),
        (("lifelong", "--out", "file/below"), "The folder 'file/below' cannot be made"),
        (("lifelong", "--out", "file"), "The folder 'file' cannot be made"),
    ],
)
def test_a_wrong_option_is_refused_with_one_sentence(command, ran, arguments, said):
    ran()
    Path("file").write_text("")
    called = command("plot", *arguments)
    assert called.code == 2
    assert called.out == ""
    assert said in called.err
    assert called.err.count("\n") == 1


def test_a_folder_of_failed_runs_only_is_refused(command):
    record = RunRecord("m", 1, {}, "lifelong", "s", {}, "", ("a",), 0, 0, label="m", stream_label="s", status=FAILED)
    RunStore("lcbench-results").save(record)
    called = command("plot", "lifelong")
    assert called.code == 2
    assert "no run that fits came to its end" in called.err


def test_a_method_that_failed_in_every_run_is_named(command, ran):
    ran()
    store = RunStore("lcbench-results")
    ok = next(iter(store.load(run_id) for run_id in store.index()))
    store.save(replace(ok, method="broken", label="broken", status=FAILED, scores={}, baseline=None))
    called = command("plot", "lifelong")
    assert called.code == 0
    assert called.err == "digits:tasks=2: broken is not drawn, for it did not end well (1 run).\n"


def test_advice_names_no_command_for_a_stream_that_only_its_owner_can_find(command):
    folder = Path("mine")
    folder.mkdir()
    for name in ("a", "b"):
        rows = [f"{i % 2 * 5 + i / 10},{i % 3},{'pq'[i % 2]}" for i in range(12)]
        (folder / f"{name}.csv").write_text("\n".join(["u,v,y", *rows]))
    assert command("run", "-m", "kmeans", "-s", "./mine:label=y", "--quiet").code == 0
    called = command("plot", "orders")
    assert called.code == 2
    assert called.err.endswith("The same 'lcbench run' with --order random --repeats 10 makes such runs.\n")


def test_help_names_every_kind_and_imports_nothing_heavy(command):
    called = command("plot", "--help")
    assert all(kind.name in called.out for kind in KINDS)
    script = (
        "import sys\nfrom lcbench.cli import main\nsys.argv = ['lcbench', 'plot', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numpy', 'matplotlib') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"

"""`lcbench compare` over stored runs."""

from __future__ import annotations

import csv
import io
from itertools import permutations
from pathlib import Path
from statistics import fmean, stdev

import pytest
from edited_records import write_older
from making import make_record, make_results

import lcbench
from lcbench.records.record import RunRecord
from lcbench.records.store import RunStore

TASKS = ("one", "two", "three")
ORDERS = list(permutations(TASKS))


def record(label: str, repeat: int, level: float, **changes) -> RunRecord:
    R = [[level + 0.01 * i + 0.02 * j + 0.005 * repeat if j <= i else None for j in range(3)] for i in range(3)]
    usual = {"stream": "made", "order": ORDERS[repeat], "repeat": repeat, "stream_tasks": TASKS}
    return make_record(label, **(usual | {"scores": {"purity": R, "nmi": R, "ri": R}} | changes))


@pytest.fixture
def stored() -> list[RunRecord]:
    """In the default folder: three methods in six orders, one of them with a run that was too slow."""
    runs = [record("good", r, 0.7) for r in range(6)]
    runs += [record("base", r, 0.5, setting="single-task") for r in range(6)]
    runs += [record("poor", r, 0.3) for r in range(5)]
    runs.append(record("poor", 5, 0.3, status="timeout", error="it took longer than 5 s", scores={}))
    make_results(*runs)
    return runs


def test_the_tables_show_means_failures_and_differences(command, stored, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    done = command("compare", "--against", "base")
    assert (done.code, done.err) == (0, "")
    assert "5 + 1 timeout" in done.out
    assert "poor on made ran out of time after 0 of 3 tasks: it took longer than 5 s" in done.out
    assert done.out.startswith("made, 6 orders: good 75.2 purity is first of 3, +20.0 ")
    assert "NEGATIVE" not in done.out  # a difference to another method is a gain; transfer needs solo runs
    assert "it is not known what other tasks bring" in done.out
    assert "0.031" in done.out  # six orders, all of one sign
    assert "No p for poor: 5 differences" in done.out


def test_no_line_of_a_table_is_longer_than_the_terminal_is_wide(command, monkeypatch):
    make_results(*(record(f"method-{i}:alpha=0.125,beta=none", 0, 0.02 * i, params={"i": i}) for i in range(12)))
    monkeypatch.setenv("COLUMNS", "80")
    done = command("compare", "--against", "method-3:alpha=0.125,beta=none")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert "method-11:" in done.out
    assert "22.0" in done.out


def test_csv_has_raw_numbers_and_those_of_the_reference_only_with_one(command, stored):
    done = command("compare", "--format", "csv", "--against", "base", "--metric", "nmi")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    average = next(row for row in rows if (row["method"], row["kind"]) == ("good", "average"))
    expected = [fmean(run.scores["nmi"][-1]) for run in stored if run.label == "good"]
    assert [float(average[name]) for name in ("mean", "sd", "gain", "p")] == pytest.approx(
        [fmean(expected), stdev(expected), 0.2, 2 / 64]
    )
    assert (average["runs"], average["failed"], average["flag"]) == ("6", "0", "")  # no transfer: that needs solos
    assert "gain" not in next(csv.reader(io.StringIO(command("compare", "--format", "csv").out)))


def test_a_paper_has_no_note_on_runs_that_were_left_out_but_the_terminal_and_a_comment_do(command, stored):
    make_results(record("good", 0, 0.1, revision=0))
    note = "Left out 1 run of older revisions of good."
    assert note in " ".join(command("compare").out.split())
    done = command("compare", "--out", "t.tex")
    assert done.err == f"18 runs compared in t.tex\n{note}\n"
    text = Path("t.tex").read_text(encoding="utf-8")
    assert text.startswith(f"% {note}\n")
    assert text.count("Left out") == 1
    assert lcbench.compare(lcbench.load_results()).to_latex().startswith(f"% {note}\n")


@pytest.mark.parametrize(("name", "format"), [("t.md", "markdown"), ("t.tex", "latex"), ("t.csv", "csv")])
def test_a_file_has_the_tables_that_are_printed_in_the_format_of_its_name(command, stored, name, format):
    done = command("compare", "--out", name)
    assert (done.code, done.out, done.err) == (0, "", f"18 runs compared in {name}\n")
    assert Path(name).read_text(encoding="utf-8") == command("compare", "--format", format).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("compare --at once", "at takes end or arrival, not 'once'"),
        ("compare --confidence 95", "confidence takes a number between 0 and 1"),
        ("compare --out no/such/t.md", "could not be written"),
        ("compare --against zzz", "There is base, good, poor."),
        ("compare --metric purty", "Did you mean 'purity'?"),
        *(
            (f"{verb} {options}", message)
            for verb in ("compare", "report")
            for options, message in (
                ("--against bas", "There are no runs of 'bas' to compare with. Did you mean 'base'?"),
                ("--metric ami", "None of the runs has ami (they have purity, nmi, ri)"),
                ("--results elsewhere", "There is no folder 'elsewhere'"),
            )
        ),
    ],
)
def test_a_wrong_option_is_refused_with_a_sentence(refused, stored, arguments, message):
    assert message in refused(*arguments.split())
    assert not Path("report.html").exists()


def test_the_reference_is_shown_also_when_only_other_methods_are_named(command, stored):
    done = command("compare", "--method", "poor", "--against", "base", "--format", "csv")
    assert {row["method"] for row in csv.DictReader(io.StringIO(done.out))} == {"poor", "base"}


def test_real_runs_compare_from_the_command_line_and_from_python_alike(command):
    assert command("run", "-m", "l2sc", "-m", "kmeans", "-s", "digits:tasks=2", "--order", "all").code == 0
    found = lcbench.compare(lcbench.load_results(), against="stsc")
    assert command("compare", "--against", "stsc", "--format", "csv").out == found.to_csv()
    assert command("compare", "--against", "stsc", "--format", "markdown").out == found.to_markdown()
    assert found.metrics == ("purity", "nmi", "ri", "ari")
    assert "l2sc: old tasks re-encoded when asked." in repr(found)
    assert found.streams[0].figures["l2sc", "nmi", "partition_agreement"].count == 2
    assert command("compare").out.splitlines()[0].startswith("digits:tasks=2, 2 orders: l2sc ")


def test_runs_of_an_older_lcbench_have_their_partition_agreement_too(command):
    assert command("run", "-m", "usc", "-s", "digits:tasks=2", "--quiet").code == 0
    whole = command("compare").out
    for file in RunStore("lcbench-results").folder.glob("runs/*.json"):
        write_older(file, without=["agreement"])
    assert "agreement" in whole
    unverified = "stsc, usc: unverified, as an older lcbench wrote them, without a checksum.\n"
    assert command("compare").out.replace(unverified, "") == whole
    assert ("usc", "nmi", "partition_agreement") in lcbench.compare(lcbench.load_results()).streams[0].figures


def test_one_kind_of_table_is_shown_with_the_notes_that_concern_it(command, stored):
    scores = command("compare", "--table", "scores")
    assert scores.code == 0
    assert "mean ± standard deviation" in scores.out
    assert "lifelong figures" not in scores.out
    assert "is first of 3" not in scores.out  # the verdict is no table
    differences = command(
        "compare", "--table", "differences", "--against", "base", "--metric", "nmi", "--format", "markdown"
    )
    assert differences.out.count("### ") == 1
    assert "nmi minus that of base" in differences.out


def test_a_latex_table_has_the_names_of_specs_its_caption_and_its_label(command):
    make_results(*(record(label, r, 0.5, setting="single-task") for r in range(2) for label in ("stsc", "kmeans")))
    options = ("--table", "scores", "--metric", "nmi", "--caption", "All $x$.", "--label", "tab:a", "--format", "latex")
    text = command("compare", *options, "--names", "kmeans=Theirs").out
    assert "task & metric & Theirs & stSC" in text
    assert r"\caption{All $x$.}" in text
    assert r"\label{tab:a}" in text
    assert "& NMI &" in text
    assert r"\begin{table*}" in command("compare", *options, "--width", "page").out
    plain = command("compare", "--table", "scores", "--names", "kmeans=Theirs").out
    assert ("Theirs" in plain, "stSC" in plain) == (True, False)  # on a terminal others keep the names to type


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--table score", "There is no table of score: --table takes one of scores, transfer, figures, differences"),
        ("--table differences", "There is no table of differences: --against names the method"),
        ("--table ranks", "There is no table of ranks: these runs are on one stream"),
        ("--table transfer", "There is no table of transfer: no method has solo runs"),
        ("--label tab:x", "--label is for LaTeX: end --out in .tex, or say --format latex."),
        ("--format latex --width wide", "--width takes column, page or a number of millimetres"),
        ("--format latex --caption C --against base", "tables, and --caption is for one"),
        ("--format csv --table scores", "A CSV file has the numbers of all tables"),
        ("--names goood=X", "--names: nothing here is called 'goood'. Did you mean 'good'?"),
        ("lcbench-results lcbench-results", "Name each results folder once."),
        ("lcbench-results --results elsewhere", "Name results folders either by --results or by themselves"),
        ("lcbench-results elsewhere", "There is no folder 'elsewhere'"),
    ],
)
def test_an_option_of_tables_that_cannot_be_followed_is_refused(refused, stored, arguments, message):
    assert message in refused("compare", *arguments.split())


def test_folders_are_compared_and_a_method_that_differs_is_told_apart(command, stored):
    make_results(*(record("good", r, 0.8) for r in range(6)), *stored[6:12], folder="later")
    done = command("compare", "lcbench-results", "later", "--against", "good (lcbench-results)", "--format", "csv")
    assert done.code == 0
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert {row["method"] for row in rows} == {"good (lcbench-results)", "good (later)", "base", "poor"}
    (gain,) = [
        row["gain"] for row in rows if (row["method"], row["metric"], row["kind"]) == ("good (later)", "nmi", "average")
    ]
    assert float(gain) == pytest.approx(0.1)
    assert "poor" in command("compare", "lcbench-results", "later", "--method", "poor").out  # which one of them has
    assert command("compare", "later").out == command("compare", "--results", "later").out

"""`lcbench suite` lists and shows suites, and runs methods on one, again and again without doing a run twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_suite import FILE

from lcbench.records.store import RunStore

RUN = ("suite", "run", "small-1", "-m", "kmeans", "-q")
PLUGIN = """\
from pathlib import Path

from lcbench import SuiteSpec, hookimpl


@hookimpl
def lcbench_register_suites(register):
    register(SuiteSpec("small-1", Path(__file__).with_name("small-1.toml"), "a suite of my own"))
"""


def test_the_list_has_every_suite_with_where_it_comes_from(command, small_suite):
    called = command("suite", "list")
    assert called.code == 0
    assert "small-1 two small streams small-suites" in called.lines
    assert any(line.startswith("lifelong-1 ") and line.endswith(" lcbench") for line in called.lines)


def test_info_shows_all_that_is_frozen(command, small_suite):
    called = command("suite", "info", "small-1")
    assert (called.code, called.err) == (0, "")
    for line in (
        "suite small-1",
        f"digest {small_suite.digest}",
        "seed 3",
        "metrics ari, nmi",
        "budget 5min and 2GB for each run",
        "quick digits, 1 repeat: within 1 minutes",
        "digits 3 random 2 images digits-1",
        "words 2 fixed 1 words topics-1",
    ):
        assert line in called.lines


def test_info_of_a_suite_that_cannot_be_run_here_shows_it_and_says_why(command, small_suite, tmp_path):
    (tmp_path / "small-1.toml").write_text(FILE.replace("digits-1", "digits-9"))
    called = command("suite", "info", "small-1")
    assert called.code == 2
    assert "seed 3" in called.lines
    assert "has the digest 'digits-1', and the suite 'digits-9'" in called.err


def test_the_quick_version_is_run_first_and_the_whole_goes_on_from_there(command, small_suite):
    called = command(*RUN, "--quick")
    assert called.code == 0, called.err
    assert "digits, 1 order" in called.out
    assert len(RunStore("lcbench-results").index()) == 1
    listed = command(*RUN, "--dry-run")
    assert "3 runs: 1 done already, 2 to do in lcbench-results" in listed.err
    called = command(*RUN)
    assert called.code == 0
    index = RunStore("lcbench-results").index()
    assert len(index) == 3
    assert {entry.experiments for entry in index.values()} == {(small_suite.tag,)}
    assert "3 runs: 3 done already, 0 to do" in command(*RUN, "--dry-run").err


def test_the_end_says_how_to_look_at_the_runs_and_submit_them(command, small_suite):
    called = command("suite", "run", "small-1", "--quick", "-m", "kmeans", "--results", "mine")
    assert f"'lcbench compare --name {small_suite.tag} --results mine' has tables" in called.err
    assert "'lcbench submit pack small-1 --quick --results mine' makes a submission" in called.err
    assert command("compare", "--name", small_suite.tag, "--results", "mine").code == 0


def test_a_plugin_file_can_bring_a_suite(command, plugin_file):
    file = plugin_file("mine", PLUGIN)
    Path(file).with_name("small-1.toml").write_text(FILE)
    called = command("suite", "run", "small-1", "--plugin", file, "-m", "kmeans", "--dry-run")
    assert called.code == 0, called.err
    assert "3 runs: 0 done already, 3 to do" in called.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "small-1"), "Say which method to run on the suite, as in --method l2sc."),
        (("run", "small-2", "-m", "kmeans"), "There is no suite 'small-2'. Did you mean 'small-1'?"),
        (("info", "digits"), "There is no suite 'digits'."),
        (("run", "small-1", "-m", "kmens"), "There is no method 'kmens'. Did you mean 'kmeans'?"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(refused, small_suite, arguments, said):
    assert refused("suite", *arguments).startswith(said)


def test_a_run_that_fails_is_kept_and_ends_with_1(command, small_suite):
    called = command("suite", "run", "small-1", "--quick", "-m", "kmeans", "-m", "l2sc:k=500", "-q")
    assert called.code == 1
    assert "l2sc:k=500" in called.err
    assert {entry.status for entry in RunStore("lcbench-results").index().values()} == {"ok", "failed"}

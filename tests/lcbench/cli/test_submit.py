"""`lcbench submit` packs, checks and verifies; what tampering leads to is in tests/lcbench/submission/scenarios."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from small_suite import ABOUT, changed_run, make_wheel, runs_in, scored, true_classes


@pytest.fixture
def pack(command, submission):
    """Packs runs of the submission anew."""
    Path("about.toml").write_text(ABOUT)
    make_wheel(Path("code.whl"))

    def call(*arguments: str):
        usual = ("--about", "about.toml", "--wheel", "code.whl", "--results", str(submission / "results"))
        return command("submit", "pack", "small-1", *usual, *arguments)

    return call


def test_runs_are_packed_and_what_was_packed_passes_a_check(pack, command):
    called = pack("-m", "mini-batch-kmeans", "--quick", "--out", "mine")
    assert called.code == 0, called.err
    assert called.out.startswith("4 runs in mine; submission ")
    called = command("submit", "check", "mine")
    assert called.code == 0
    cells = [cell for run in runs_in(Path("mine")) for R in run.scores.values() for row in R for cell in row]
    assert called.lines[1:] == [
        "Complete: 4 runs, as packed.",
        f"{sum(cell is not None for cell in cells)} scores computed again from the labels.",
        "Level: scored.",
    ]
    assert "Labels are public, so only a rerun can detect forgery" in called.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-m", "usc"), "11 runs of 11 of 'usc' on suite 'small-1' are not in"),
        (("-m", "kmeans", "--about", "gone.toml"), "gone.toml: there is no such file"),
    ],
)
def test_what_cannot_be_packed_is_refused_in_a_sentence(pack, arguments, said):
    called = pack(*arguments)
    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
    assert said in called.err
    assert not Path("submission").exists()


def test_a_submission_with_faults_is_refused_with_a_line_each(command, submission):
    (submission / "submission.toml").write_text("x = 1")
    (submission / "more.txt").touch()
    called = command("submit", "check", str(submission))
    assert called.code == 1
    assert sorted(called.lines) == [
        "Refused: 2 faults.",
        "more.txt: no submission holds such a file",
        "submission.toml: it was changed: its digest is not that of the manifest",
    ]


@pytest.mark.usefixtures("no_data")
def test_without_the_data_a_check_ends_with_3(command, submission):
    called = command("submit", "check", str(submission))
    assert called.code == 3
    assert "Not computed again" in called.out
    assert "Level" not in called.out


def test_runs_that_the_nonce_draws_are_run_again_and_the_proof_is_kept(command, submission):
    called = command("submit", "verify", str(submission), "--sample", "3", "--nonce", "x y", "-q")
    assert called.code == 0, called.err
    assert called.lines[-2:] == ["3 of 14 runs drawn by nonce x y: 3 identical.", "Level: verified, by 3 of 14 runs."]
    proof = tomllib.loads((submission / "verification.toml").read_text())
    assert (proof["nonce"], proof["sample"], proof["total"], len(proof["runs"])) == ("x y", 3, 14, 3)
    assert command("submit", "check", str(submission)).lines[-1] == "Level: verified, by 3 of 14 runs."


def test_a_run_that_comes_out_otherwise_ends_the_command_with_1_and_its_method_is_not_verified(command, submission):
    for run in runs_in(submission):
        if run.label == "kmeans":
            changed_run(submission, run, **scored(run, true_classes(run)))
    called = command("submit", "verify", str(submission), "--sample", "2", "--nonce", "x", "-q")
    assert called.code == 1
    (told,) = (line for line in called.lines if " kmeans on " in line)
    assert told.endswith(": these are not the labels that the method gives here")
    assert called.lines[-2:] == [
        "2 of 14 runs drawn by nonce x: 1 differs, 1 identical.",
        "Level: mini-batch-kmeans verified, kmeans scored, by 2 of 14 runs.",
    ]


def test_a_verification_of_something_else_gives_no_level(command, submission):
    command("submit", "verify", str(submission), "--sample", "2", "-q")
    file = submission / "verification.toml"
    file.write_text(file.read_text().replace("total = 14", "total = 13"))
    called = command("submit", "check", str(submission))
    assert (called.code, called.lines[-1]) == (0, "Level: scored.")
    assert "its runs are not those that its nonce draws" in called.err


def test_a_nonce_is_drawn_where_none_is_given_and_the_file_can_be_named(command, submission):
    for name in ("one.toml", "two.toml"):
        command("submit", "verify", str(submission), "--sample", "2", "--out", name, "-q")
    one, two = (tomllib.loads(Path(name).read_text()) for name in ("one.toml", "two.toml"))
    assert one["nonce"] != two["nonce"]
    assert not (submission / "verification.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--sample", "1"), "draw at least 2 runs, not 1"),
        (("--nonce", " "), "A nonce is a text that nobody could know before"),
    ],
)
def test_a_sample_or_nonce_that_makes_no_sense_is_refused(command, submission, arguments, said):
    called = command("submit", "verify", str(submission), *arguments)
    assert called.code == 2
    assert said in called.err

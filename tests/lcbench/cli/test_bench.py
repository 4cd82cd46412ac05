from __future__ import annotations

import json
from pathlib import Path

import pytest

SMALL = "digits:tasks=2,per_class=5"
FAULTY = """
from lcbench import SingleTaskClusterer

class Faulty(SingleTaskClusterer):
    def __init__(self, *, random_state=0):
        self.random_state = random_state

    def predict(self, task):
        raise ValueError("not on such a task")
"""


def cells(lines: list[str], method: str) -> list[str]:
    return next(line.split() for line in lines if line.split()[:1] == [method])


@pytest.mark.slow
def test_methods_are_timed_beside_stsc_and_scikit_learn_and_later_ones_beside_them_and_one_that_fails_is_named(
    command, plugin_file
):
    """Two commands in one test, as each starts a process of pytest."""
    first = command("bench", "-m", "random", "-s", SMALL, "--rounds", "2", "-o", "first.json")
    assert first.code == 0, first.err
    kept = json.loads(Path("first.json").read_text())["benchmarks"]
    times = {each["extra_info"]["method"]: each["stats"]["median"] for each in kept}
    assert list(times) == ["random", "stsc", "sklearn"]
    assert all(each["stats"]["rounds"] == 2 for each in kept)
    for name, seconds in times.items():
        shown = [f"{seconds:.3f}", *(f"{seconds / times[other]:.2f}" for other in ("stsc", "sklearn"))]
        assert [cells(first.lines, name)[i] for i in (1, 3, 4)] == shown
    assert [line for line in first.err.splitlines() if line.startswith("timing")] == [
        f"timing {name} on {SMALL}" for name in ("random", "stsc", "sklearn")
    ]

    faulty = ("-m", "faulty", "--plugin", plugin_file("faulty", FAULTY))
    second = command("bench", *faulty, "-s", SMALL, "--rounds", "1", "--compare", "first.json", "-q")
    assert second.code == 1
    kept, failed = second.err.splitlines()
    assert failed.startswith(f"lcbench: faulty on {SMALL} failed: ")
    assert "ValueError: not on such a task" in failed
    assert kept == "kept in lcbench-bench.json: --compare lcbench-bench.json shows them beside later ones"
    assert cells(second.lines, "stsc")[5] == cells(first.lines, "stsc")[1], "the seconds before"
    assert cells(second.lines, "sklearn")[6] == "1.00", "it is what others are measured by"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-m", "nope"], "There is no method 'nope'"),
        (["-s", "nope"], "There is no stream 'nope'"),
        (["-m", "mine=stsc"], "lcbench bench shows methods as they are written: leave out 'mine='."),
        (["--compare", "missing.json"], "'missing.json' cannot be read (No such file or directory)."),
        (["--compare", "other.json"], "'other.json' is no file that lcbench bench has written."),
    ],
)
def test_what_cannot_be_timed_is_refused_before_anything_is(command, words, sentence, monkeypatch):
    monkeypatch.setattr("lcbench.testing.timing._pytest", None)
    Path("other.json").write_text('{"benchmarks": [{}]}')
    found = command("bench", *words)
    assert found.code == 2
    assert sentence in found.err


def test_data_that_are_not_there_are_told_as_for_a_run(command, monkeypatch, tmp_path):
    monkeypatch.setattr("lcbench.testing.timing._pytest", None)
    monkeypatch.delenv("LCBENCH_DATA", raising=False)
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "empty"))
    found = command("bench", "-s", "webkb4")
    assert found.code == 3
    assert "webkb4" in found.err
    assert "Traceback" not in found.err


def test_without_the_extra_a_sentence_says_what_to_install(command, monkeypatch):
    monkeypatch.setattr("lcbench.testing.timing.find_spec", lambda name: None)
    found = command("bench")
    assert (found.code, found.err) == (
        2, "lcbench: Timing needs pytest and pytest_benchmark: pip install 'lcbench[bench]'.\n",
    )  # fmt: skip


def test_the_seconds_of_the_paper_are_those_of_its_table():
    from lcbench.cli.bench import _paper

    assert _paper("webkb4")["l2sc"] == "2.69 ± 0.02"
    assert _paper("webkb4")["stsc"] == "1.22 ± 0.01"
    assert _paper("digits") == _paper("webkb4:weighting=sqrt") == {}

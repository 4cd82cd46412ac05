from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from lcbench.experiment.planning import plan_runs
from lcbench.experiment.toml_file import ExperimentFile, ExperimentFileError, read_experiment_file
from lcbench.experiment.toml_model import ExperimentModel

ORDERS = "order must be fixed, random, all, leave-one-out, or a list"
WHOLE = """
methods = ["l2sc", "strong=l2sc:lam=10", "stsc"]
streams = ["digits:tasks=3", "topics"]
order = "random"
repeats = 10
seed = 7
metrics = ["purity", "nmi"]
evaluate = "every:2"
future = true
baselines = false
threads = 2
tune = "oracle"
tune_metric = "nmi"
jobs = 2
timeout = "5min"
memory_limit = "2GB"
audit = ["measure", "poison"]
results = "out"

[grid.l2sc]
lam = "paper"
k = ["none", 3]
solver = ["corrected", "paper"]

[grid.stsc]
sigma = [0.5, 1, "median"]
"""


@pytest.fixture
def written(tmp_path):
    """Writes an experiment file."""

    def write(text: str | bytes, name: str = "paper.toml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def refusal(path: Path) -> str:
    with pytest.raises(ExperimentFileError) as caught:
        read_experiment_file(path)
    return str(caught.value)


def test_every_key_comes_back_as_it_was_written(written, tmp_path):
    path = written(WHOLE)
    assert read_experiment_file(path) == ExperimentFile(
        path=path,
        methods=["l2sc", "strong=l2sc:lam=10", "stsc"],
        streams=["digits:tasks=3", "topics"],
        order="random",
        repeats=10,
        seed=7,
        metrics=["purity", "nmi"],
        evaluate="every:2",
        future=True,
        baselines=False,
        threads=2,
        grid={
            "l2sc": {"lam": "paper", "k": ["none", 3], "solver": ["corrected", "paper"]},
            "stsc": {"sigma": [0.5, 1, "median"]},
        },
        tune="oracle",
        tune_metric="nmi",
        jobs=2,
        timeout=300.0,
        memory_limit=2 * 10**9,
        audit=["measure", "poison"],
        results=tmp_path / "out",
    )


def test_what_the_file_does_not_say_is_none(written):
    path = written("")
    assert read_experiment_file(path) == ExperimentFile(path)
    assert all(getattr(ExperimentFile(path), field.name) is None for field in fields(ExperimentFile)[1:])


def test_the_example_of_the_documentation_can_be_planned(written):
    page = (Path(__file__).parents[3] / "docs" / "tuning.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    said = read_experiment_file(written(example))
    plan = plan_runs(
        said.methods, said.streams[:1], order=said.order, repeats=said.repeats, grid=said.grid, tune=said.tune
    )
    # l2sc on two lines of 58 that cross, strong on a line of mu that crosses the line of lam; usc has no grid
    assert {tuned.record.label: len(tuned.candidates) for tuned in plan.tuned} == {
        "l2sc (oracle)": 115, "strong (oracle)": 58, "stsc (oracle)": 3,
    }  # fmt: skip
    assert len(plan) == 10 * (3 + 115 + 58 - 1 + 1)


def test_the_model_and_the_experiment_file_have_the_same_keys():
    assert [field.name for field in fields(ExperimentFile)[1:]] == list(ExperimentModel.model_fields)


def test_one_text_stands_for_a_list_of_one_and_a_table_gives_names(written):
    said = read_experiment_file(written('methods = "l2sc"\nmetrics = "nmi"\naudit = "poison"\norder = ["a", "b"]\n'))
    assert (said.methods, said.metrics, said.audit, said.order) == (["l2sc"], ["nmi"], ["poison"], ["a", "b"])
    named = read_experiment_file(written('[methods]\nweak = "l2sc:lam=0.1"\n[streams]\nd = "digits"\n'))
    assert (named.methods, named.streams) == ({"weak": "l2sc:lam=0.1"}, {"d": "digits"})


@pytest.mark.parametrize(("text", "seconds"), [("90", 90.0), ("0.5", 0.5), ('"90"', 90.0), ('"1.5h"', 5400.0)])
def test_a_timeout_may_be_a_number_of_seconds_or_a_text(written, text, seconds):
    assert read_experiment_file(written(f"timeout = {text}")).timeout == seconds


def test_folders_are_relative_to_the_file(written, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone")
    path = written(
        'streams = ["./news:label=y", "mine=../other", \'a/b:k="1,2"\', "/data/x", "~/y", "digits"]\n'
        'results = "../results"\n',
        "sub/paper.toml",
    )
    folder = tmp_path / "sub"
    said = read_experiment_file(path)
    assert said.streams == [
        f"{folder}/news:label=y", f"mine={folder}/../other", f'{folder}/a/b:k="1,2"', "/data/x", "/home/someone/y",
        "digits",
    ]  # fmt: skip
    assert said.results == folder / ".." / "results"
    assert read_experiment_file(written('results = "/tmp/r"')).results == Path("/tmp/r")
    monkeypatch.chdir(folder)
    assert read_experiment_file("paper.toml").streams == said.streams


def test_a_folder_beside_the_file_is_found_from_anywhere(written, tmp_path):
    (tmp_path / "news").mkdir()
    for name in ("a", "b"):
        np.savez(tmp_path / "news" / f"{name}.npz", X=np.eye(6), y=np.arange(6) % 2)
    said = read_experiment_file(written('methods = "one-cluster"\nstreams = ["./news"]\n'))
    (planned,) = plan_runs(said.methods, said.streams)
    assert planned.record.order == ("a", "b")


def test_the_grid_of_a_file_is_one_that_can_be_planned(written):
    said = read_experiment_file(written(WHOLE))
    plan = plan_runs(said.methods, said.streams, grid=said.grid, tune=said.tune, baselines=False)
    # k times solver and the line of lam, which share the defaults; strong sets lam and has the four alone; sigma
    assert [len(tuned.candidates) for tuned in plan.tuned[:3]] == [4 + 58 - 1, 4, 3]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("repeats = 'ten'", "repeats must be a whole number of at least 1, not 'ten'."),
        ("repeats = 0", "repeats must be a whole number of at least 1, not 0."),
        ("repeats = 2.5", "repeats must be a whole number of at least 1, not 2.5."),
        ("jobs = true", "jobs must be a whole number of at least 1, not true."),
        ("threads = []", "threads must be a whole number of at least 1, not []."),
        ("seed = -1", "seed must be a whole number of at least 0, not -1."),
        ("future = 'yes'", "future must be true or false, not 'yes'."),
        ("baselines = 1", "baselines must be true or false, not 1."),
        ("order = 2020-01-01", f'{ORDERS} of task names, not "2020-01-01".'),
        ("order = []", f"{ORDERS} of task names, not []."),
        ("evaluate = 'every:0'", "evaluate must be all, last or every:N with N of at least 1, not 'every:0'."),
        ("tune = 'orcale'", "tune must be one of none, oracle, first-task, silhouette, not 'orcale'."),
        ("tune_metric = 3", "tune_metric must be the name of a metric, not 3."),
        ("timeout = 'soon'", "timeout must be a duration above 0 such as 60s, 5min or 1.5h, not 'soon'."),
        ("timeout = 0", "timeout must be a duration above 0 such as 60s, 5min or 1.5h, not 0."),
        (
            "memory_limit = '2 apples'",
            "memory_limit must be a size of at least one byte such as 512MB, 2GB or 1.5GiB, not '2 apples'.",
        ),
        ("metrics = ['']", 'metrics must be a text or a list of texts, not [""].'),
        ("audit = []", "audit must be a text or a list of texts, not []."),
        ("results = ' '", "results must be the name of a folder, not ' '."),
        ("methods = 3", "methods must be a text, a list of texts, or a table of names with a text each, not 3."),
        (
            "methods = ['l2sc', 1]",
            'methods must be a text, a list of texts, or a table of names with a text each, not ["l2sc", 1].',
        ),
        (
            "streams = {}",
            "streams must be a text, a list of texts, or a table of names with a text each, not {}.",
        ),
        ("grid = 'paper'", "grid must be tables such as [grid.l2sc], not 'paper'."),
        ("[grid]\nl2sc = [1]", "grid.l2sc must be a table of parameters, not [1]."),
        ("[grid.l2sc]\nlam = 1", "grid.l2sc.lam must be a list of values or the name of a grid, not 1."),
        ("[grid.l2sc]\nlam = []", "grid.l2sc.lam must be a list of values or the name of a grid, not []."),
        (
            "[grid.l2sc.lam]\na = 1",
            'grid.l2sc.lam must be a list of values or the name of a grid, not {"a": 1}.',
        ),
        ("[grid]\n'' = {'' = 1}", "grid.. must be a list of values or the name of a grid, not 1."),
        ("repeat = 3", "there is no setting 'repeat'. Did you mean 'repeats'?"),
        ("[runs]\na = 1", "there is no setting 'runs'."),
        ("streams = ['./a:b=\"']", "streams: './a:b=\"' cannot be read at"),
        (f"order = {['task-' + str(i) for i in range(90)] + [1]}", ORDERS),
    ],
)  # fmt: skip
def test_a_fault_is_one_sentence_that_names_file_and_field(written, text, fault):
    path = written(text)
    message = refusal(path)
    assert message.startswith(f"{path}: {fault}")
    assert len(message.splitlines()) == 1
    assert len(message) < 300


def test_several_faults_are_a_line_each_in_the_order_of_the_file(written):
    path = written("tune = 1\nrepeat = 3\nmethods = [1, 2]\n[grid.l2sc]\nlam = []\nmu = {}\n")
    assert [line.removeprefix(f"{path}: ").split(" must be")[0] for line in refusal(path).splitlines()] == [
        "tune", "there is no setting 'repeat'. Did you mean 'repeats'?", "methods", "grid.l2sc.lam", "grid.l2sc.mu",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("seed = 1\nrepeats 3\n", 2),
        ("seed = 1\n\nmethods = [\n  'a'\n  'b'\n]\n", 5),
        ("seed = 1\nseed = 2\n", 2),
        ('seed = 1\n\nmethods = "l2sc', 3),
        ("seed = 1\n[grid.l2sc", 2),
    ],
)
def test_a_syntax_error_names_the_line(written, text, line):
    path = written(text)
    message = refusal(path)
    assert message.startswith(f"{path}, line {line}: ")
    assert len(message.splitlines()) == 1


def test_a_file_that_cannot_be_read_is_named_with_the_reason(written, tmp_path):
    assert refusal(tmp_path / "no.toml") == f"{tmp_path / 'no.toml'}: there is no such file."
    assert refusal(tmp_path) == f"{tmp_path}: this is a folder; name the file in it."
    path = written(b"methods = ['\xff']")
    assert refusal(path) == f"{path}: it is not UTF-8 text; save it as UTF-8."
    path = written("seed = " + "[" * 100_000)
    assert refusal(path) == f"{path}: its lists are nested too deeply."


def test_a_byte_order_mark_is_no_fault(written):
    assert read_experiment_file(written(b"\xef\xbb\xbfseed = 1")).seed == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_read_permission_is_named_with_the_reason(written):
    path = written("seed = 1")
    path.chmod(0)
    assert refusal(path) == f"{path}: it cannot be read (Permission denied)."


def test_pydantic_is_imported_when_there_is_a_file():
    script = "import sys, lcbench.experiment.toml_file; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

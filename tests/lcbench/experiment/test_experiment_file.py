"""The keys of experiment files; the faults that all TOML files share are in `test_toml_files.py`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from plans import plan_runs

from lcbench.errors import ExperimentFileError
from lcbench.experiment import orders
from lcbench.experiment.experiment_file import read_experiment_file
from lcbench.experiment.grids import Grid

ORDERS = f"order must be {', '.join(orders.ORDERS)}, or a list"
ENTRIES = "a text, a list of texts, or a table of names with a text each"
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

    def write(text: str, name: str = "paper.toml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def read(written):
    return lambda *arguments: read_experiment_file(written(*arguments))


def test_the_options_of_a_file_are_those_it_sets_and_no_others(read, tmp_path):
    assert read("") == {}
    assert read(WHOLE) == {
        "methods": ("l2sc", "strong=l2sc:lam=10", "stsc"),
        "streams": ["digits:tasks=3", "topics"],
        "order": "random",
        "repeats": 10,
        "seed": 7,
        "metrics": ("purity", "nmi"),
        "evaluate": "every:2",
        "future": True,
        "baselines": False,
        "threads": 2,
        "grid": (
            Grid("l2sc", "lam", ("paper",)),
            Grid("l2sc", "k", ("none", 3)),
            Grid("l2sc", "solver", ("corrected", "paper")),
            Grid("stsc", "sigma", (0.5, 1, "median")),
        ),
        "tune": "oracle",
        "tune_metric": "nmi",
        "jobs": 2,
        "timeout": 300.0,
        "memory_limit": 2 * 10**9,
        "audit": ("measure", "poison"),
        "results": tmp_path / "out",
    }


def test_the_example_of_the_documentation_can_be_planned(read):
    page = (Path(__file__).parents[3] / "docs" / "tuning.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    said = read(example)
    plan = plan_runs(**said | {"streams": said["streams"][:1]})
    # l2sc on two lines of 58 that cross, strong on a line of mu that crosses the line of lam; usc has no grid
    assert {tuned.record.label: len(tuned.candidates) for tuned in plan.tuned} == {
        "l2sc (oracle)": 115, "strong (oracle)": 58, "stsc (oracle)": 3,
    }  # fmt: skip
    assert len(plan) == 10 * (3 + 115 + 58 - 1 + 1)


def test_the_grid_of_a_file_is_one_that_can_be_planned(read):
    plan = plan_runs(**read(WHOLE))
    # k times solver and the line of lam, which share the defaults; strong sets lam and has the four alone; sigma
    assert [len(tuned.candidates) for tuned in plan.tuned[::10][:3]] == [4 + 58 - 1, 4, 3]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('methods = "l2sc"', {"methods": ("l2sc",)}),
        ('audit = "poison"', {"audit": ("measure", "poison")}),
        ('order = ["a", "b"]', {"order": ("a", "b")}),
        ('[methods]\nweak = "l2sc:lam=0.1"', {"methods": {"weak": "l2sc:lam=0.1"}}),
        ('[streams]\nd = "digits"', {"streams": {"d": "digits"}}),
        ("timeout = 90", {"timeout": 90.0}),
    ],
)
def test_values_may_be_written_in_several_ways(read, text, options):
    assert read(text) == options


def test_values_of_a_grid_keep_their_types(read):
    (grid,) = read('[grid.m]\np = [true, 1, 1.0, "1", [1, 2]]')["grid"]
    assert [type(value) for value in grid.values] == [bool, int, float, str, list]


def test_folders_are_relative_to_the_file(read, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone")
    said = read(
        'streams = ["./news:label=y", "mine=../other", \'a/b:k="1,2"\', "/data/x", "~/y", "digits"]\n'
        'results = "../results"\n',
        "sub/paper.toml",
    )
    folder = tmp_path / "sub"
    assert said["streams"] == [
        f"{folder}/news:label=y", f"mine={folder}/../other", f'{folder}/a/b:k="1,2"', "/data/x", "/home/someone/y",
        "digits",
    ]  # fmt: skip
    assert said["results"] == folder / ".." / "results"
    assert read('results = "/tmp/r"')["results"] == Path("/tmp/r")
    assert read('[streams]\nnews = "./n"')["streams"] == {"news": f"{tmp_path}/n"}
    monkeypatch.chdir(folder)
    assert read_experiment_file("paper.toml")["streams"] == said["streams"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("repeats = 2.5", "repeats must be a whole number of at least 1, not 2.5."),
        ("jobs = true", "jobs must be a whole number of at least 1, not true."),
        ("seed = -1", "seed must be a whole number of at least 0, not -1."),
        ("future = 'yes'", "future must be true or false, not 'yes'."),
        ("order = 2020-01-01", f'{ORDERS} of task names, not "2020-01-01".'),
        ("evaluate = 'every:0'", "evaluate must be all, last or every:N with N of at least 1, not 'every:0'."),
        ("tune = 'orcale'", "tune must be one of none, oracle, first-task, silhouette, not 'orcale'."),
        ("timeout = 'soon'", "timeout must be a duration above 0 such as 60s, 5min or 1.5h, not 'soon'."),
        (
            "memory_limit = '2 apples'",
            "memory_limit must be a size of at least one byte such as 512MB, 2GB or 1.5GiB, not '2 apples'.",
        ),
        ("[metrics]\nmine = 'nmi'", 'metrics must be a text or a list of texts, not {"mine": "nmi"}.'),
        ("results = ' '", "results must be the name of a folder, not ' '."),
        ("methods = ['l2sc', 1]", f'methods must be {ENTRIES}, not ["l2sc", 1].'),
        ("streams = {}", f"streams must be {ENTRIES}, not {{}}."),
        ("streams = ['./a:b=\"']", "streams: './a:b=\"' cannot be read at"),
        ("grid = 'paper'", "grid must be tables such as [grid.l2sc], not 'paper'."),
        ("[grid]\nl2sc = [1]", 'grid must be tables such as [grid.l2sc], not {"l2sc": [1]}.'),
        ("repeat = 3", "there is no setting 'repeat'. Did you mean 'repeats'?"),
        ("fresh = true", "there is no setting 'fresh'."),
        (f"order = {['task-' + str(i) for i in range(90)] + [1]}", ORDERS),
    ],
)  # fmt: skip
def test_a_fault_is_one_sentence_that_names_file_and_key(written, text, fault):
    path = written(text)
    with pytest.raises(ExperimentFileError) as refused:
        read_experiment_file(path)
    message = str(refused.value)
    assert message.startswith(f"{path}: {fault}")
    assert len(message.splitlines()) == 1
    assert len(message.removeprefix(str(path))) < 300


def test_pydantic_is_imported_when_there_is_a_file():
    script = "import sys, lcbench.experiment.experiment_file; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_plugin_files_are_relative_to_the_experiment_file(written, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/somebody")
    file = written('plugins = ["mine.py", "/there/other.py", "~/third.py"]')
    assert read_experiment_file(file)["plugins"] == [
        str(tmp_path / "mine.py"), "/there/other.py", "/home/somebody/third.py",
    ]  # fmt: skip
    assert read_experiment_file(written('plugins = "mine.py"'))["plugins"] == [str(tmp_path / "mine.py")]

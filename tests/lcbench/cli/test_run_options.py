from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lcbench.cli.run_options import RunOptions
from lcbench.errors import ParameterError

FILE = """
methods = ["kmeans", "one-cluster"]
streams = ["digits:tasks=2"]
repeats = 2
results = "kept"

[grid.kmeans]
n_init = [1, 2]
"""


def made(called) -> list[str]:
    """The runs that progress says were made, by their labels."""
    return re.findall(r"^\[\d+/\d+\] [^ ]+: (.*): (?:done|failed), ", called.err, re.MULTILINE)


def options(**changes) -> RunOptions:
    """The options of `lcbench run` without arguments, with some changes."""
    return RunOptions(**{
        "methods": None, "streams": None, "order": "fixed", "repeats": 1, "seed": 0, "metrics": None,
        "evaluate": "all", "future": False, "baselines": True, "threads": 1, "grid": None, "tune": "none",
        "tune_metric": None, "audit": None, "jobs": 1, "timeout": None, "memory_limit": None,
        "results": Path("lcbench-results"),
    } | changes)  # fmt: skip


def labels_in(folder: Path) -> list[str]:
    """The labels of the runs in a results folder, sorted."""
    return sorted(json.loads(path.read_text())["label"] for path in (folder / "runs").iterdir())


def test_a_file_says_what_to_run_and_options_come_before_it(command):
    folder = Path("experiments")
    folder.mkdir()
    (folder / "paper.toml").write_text(FILE)
    called = command("run", "experiments/paper.toml")
    assert called.code == 0
    assert made(called) == [label for label in ("kmeans:n_init=1", "kmeans:n_init=2", "one-cluster") for _ in range(2)]
    assert len(labels_in(folder / "kept")) == 6
    assert not Path("lcbench-results").exists()
    other = command("run", "experiments/paper.toml", "--repeats", "1", "--grid", "kmeans.n_init=3", "--out", "mine")
    assert made(other) == ["kmeans:n_init=3", "one-cluster"]
    assert labels_in(Path("mine")) == ["kmeans:n_init=3", "one-cluster"]
    assert made(command("run", "experiments/paper.toml", "-m", "random")) == []


def test_a_file_and_the_same_options_are_the_same_experiment(command):
    Path("paper.toml").write_text(FILE)
    methods, stream = ("-m", "kmeans", "-m", "one-cluster"), ("-s", "digits:tasks=2", "--metric", "ri")
    options = (*methods, *stream, "--grid", "kmeans.n_init=1,2", "--repeats", "2")
    from_file = command("run", "paper.toml", "--json", "--quiet").runs
    assert [run["run_id"] for run in from_file] == [run["run_id"] for run in command("run", *options, "--json").runs]


def test_options_under_other_names_than_in_the_file_come_before_it_too(command):
    """A file has methods, streams, metrics and baselines for --method, --stream, --metric and --baseline."""
    Path("all.toml").write_text('methods = "l2sc"\nstreams = "topics"\nmetrics = "no-such-metric"\nbaselines = true\n')
    typed = ("-m", "mtcmrl", "-s", "digits:tasks=2", "--metric", "ri", "--no-baseline")
    planned = command("run", "all.toml", *typed, "-n", "--json").runs
    assert [(run["method"], run["stream"]) for run in planned] == [("mtcmrl", "digits:tasks=2")]
    assert "no-such-metric" in command("run", "all.toml", "-n").err


def test_what_a_file_does_not_set_is_as_on_the_command_line():
    Path("seed.toml").write_text("seed = 7\nfuture = false\n")
    given = options(repeats=3, future=True, metrics=["ri"])
    assert given.over_file(Path("seed.toml"), {"future"}) == options(repeats=3, future=True, metrics=["ri"], seed=7)


def test_tuning_goes_by_the_first_metric_shown_that_needs_labels_unless_one_is_named():
    tuned = {"methods": ["kmeans"], "grid": ["kmeans.n_init=1,2"], "tune": "oracle"}
    assert options(**tuned, metrics=["silhouette", "nmi", "ri"]).plan().tune_metric == "nmi"
    assert options(**tuned, metrics=["nmi", "ri"], tune_metric="ri").plan().tune_metric == "ri"


def test_limits_and_audits_are_parsed_and_checked():
    execution = options(jobs=1, timeout="2min", memory_limit="1GiB", audit=["poison"]).execution(
        fresh=False, retry_failed=True
    )
    assert (execution.limits.jobs, execution.limits.timeout, execution.limits.memory) == (1, 120.0, 2**30)
    assert execution.audit == ("measure", "poison")
    assert (execution.fresh, execution.retry_failed) == (False, True)
    with pytest.raises(ParameterError, match=r"There is no audit 'poisen'. Did you mean 'poison'"):
        options(audit=["poisen"]).execution(fresh=False, retry_failed=False)


def test_other_streams_leave_every_other_option_as_it_is():
    given = options(streams=["webkb4"], seed=3, grid=["l2sc.lam=1,2"])
    assert given.on(["digits"]) == options(streams=["digits"], seed=3, grid=["l2sc.lam=1,2"])

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_methods import Told

import lcbench
from lcbench import LabelledTask, Task, TaskStream
from lcbench.contract.stream import ArrayStream
from lcbench.errors import InvalidTaskError

SENTENCES = {
    ("-m", "l2cs"): "There is no method 'l2cs'. Did you mean 'l2sc'?",
    ("-s", "digit"): "There is no stream 'digit'. Did you mean 'digits'?",
    ("--metric", "puriti"): "There is no metric 'puriti'. Did you mean 'purity'?",
    ("-m", "l2sc:lamb=1"): "Method 'l2sc' has no parameter 'lamb'. Did you mean 'lam'?",
    ("-s", "digits:task=3"): "Stream 'digits' has no parameter 'task'. Did you mean 'tasks'?",
    ("-m", "l2sc:lam=big"): "Method 'l2sc': lam takes a number of at least 0, not 'big'.",
    ("-m", "l2sc:lam=nan"): "Method 'l2sc': lam takes a number of at least 0, not 'nan'.",
    ("-m", "l2sc:k=2.5"): "Method 'l2sc': k takes a whole number of at least 1 or none, not '2.5'.",
    ("-m", "l2sc:solver=fast"): "Method 'l2sc': solver takes one of corrected, paper, not 'fast'.",
    ("-m", "stsc:normalize_rows=maybe"): "Method 'stsc': normalize_rows takes true or false, not 'maybe'.",
    ("-m", "l2sc:lam"): "'l2sc:lam' cannot be read at 'lam': write NAME:key=value,key=value",
    ("-m", "l2sc:lam=1,lam=2"): "'l2sc:lam=1,lam=2' sets lam twice.",
    ("-m", "random:random_state=1"): "every seed comes from the run's own seed.",
    ("-m", "a=l2sc", "-m", "a=stsc"): "Two entries are called 'a': name each method differently, as in mine=stsc.",
    ("-s", "a=digits", "-s", "a=topics"): "Two entries are called 'a': name each stream differently",
    ("-s", "digits:per_class=500"): "need 2000 images of each digit, but there are 183 of digit 3",
    ("-s", 'digits:classes="3,3"'): "Stream 'digits': classes takes different digits from 0 to 9",
    ("--order", "task-1,task-1"): "The order names task 'task-1' of stream 'digits' twice: a task arrives once.",
    ("--order", "task-1,tosk-2"): "Stream 'digits' has no task 'tosk-2'. Did you mean 'task-2'",
    ("-s", "digits:tasks=6", "--order", "all"): "takes at most 5 tasks, but stream 'digits' has 6",
    ("--evaluate", "sometimes"): "evaluate takes all, last or every:N with N of at least 1, not 'sometimes'.",
    ("--grid", "kmeans.n_init"): "'kmeans.n_init' is no grid: write METHOD.param=value,value or METHOD.param=NAME.",
    ("--grid", "l2sc.lam=zero"): "The grid for 'l2sc': lam takes a number of at least 0, not 'zero'",
    ("--tune", "oracle"): "tune=oracle chooses among the points of a grid, and there is none: give a grid.",
    ("--tune", "orakle"): "Did you mean 'oracle'?",
    ("--audit", "isolat"): "There is no audit 'isolat'. Did you mean 'isolate'?",
    ("--timeout", "soon"): "'soon' is not a duration above 0 such as 60s, 5min or 1.5h.",
    ("--memory-limit", "lots"): "'lots' is not a size of at least one byte such as 512MB, 2GB or 1.5GiB.",
    ("missing.toml",): "missing.toml: there is no such file.",
    ("bad.toml",): "bad.toml: repeats must be a whole number of at least 1, not 'ten'.",
    ("broken.toml",): "broken.toml, line 2: ",
    ("unknown.toml",): "unknown.toml: There is no method 'l2cs'. Did you mean 'l2sc'?",
}
FILES = {
    "bad.toml": 'repeats = "ten"', "broken.toml": "repeats = 1\nseed = = 2\n", "unknown.toml": 'methods = "l2cs"',
}  # fmt: skip
CLASSES = np.arange(12) % 2
DATA = np.random.default_rng(0).random((12, 4)) + 2 * np.eye(4)[CLASSES]


def stream(X: object = DATA, y: object = CLASSES) -> TaskStream:
    return TaskStream.from_arrays("mine", {"first": (DATA, CLASSES), "second": (X, y)})


@pytest.mark.parametrize(("arguments", "sentence"), SENTENCES.items(), ids=[" ".join(key) for key in SENTENCES])
def test_a_wrong_name_option_or_file_gets_one_sentence_and_exit_code_2(command, tmp_path, arguments, sentence):
    for name, text in FILES.items():
        Path(name).write_text(text)
    called = command("run", *arguments, "--out", str(tmp_path / "out"))
    assert called.code == 2
    assert called.out == ""
    assert called.err.startswith("lcbench: ")
    assert called.err.count("\n") == 1
    assert sentence in called.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [("--repeats", "0"), ("--repeats", "two"), ("--seed", "-1"), ("--threads", "0")])
def test_a_number_out_of_range_is_a_usage_error_that_names_the_option(command, tmp_path, arguments):
    called = command("run", *arguments, "--out", str(tmp_path / "out"))
    assert (called.code, called.out) == (2, "")
    assert f"Invalid value for '{arguments[0]}'" in called.err
    assert "Traceback" not in called.err
    assert list(tmp_path.iterdir()) == []


def test_an_output_folder_below_a_file_is_refused_before_anything_runs(command, tmp_path):
    (tmp_path / "file").write_text("mine")
    called = command("run", "--out", str(tmp_path / "file" / "below"))
    assert (called.code, called.out) == (2, "")
    expected = (
        f"lcbench: Results cannot be written to '{tmp_path}/file/below/runs' (File exists): name another folder.\n"
    )
    assert called.err == expected
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_data_that_are_not_finite_are_refused(value):
    X = DATA.copy()
    X[3, 1] = value
    with pytest.raises(InvalidTaskError, match="Task 'second' holds values that are NaN or infinite: remove or impute"):
        lcbench.run("stsc", stream(X))


@pytest.mark.parametrize("X", [np.empty((0, 4)), np.empty((12, 0))])
def test_empty_data_are_refused(X):
    with pytest.raises(InvalidTaskError, match=f"'second' is empty: it has {len(X)} samples and {X.shape[1]} features"):
        lcbench.run("stsc", stream(X, CLASSES[: len(X)]))


def test_more_clusters_than_samples_are_refused():
    with pytest.raises(InvalidTaskError, match="Task 't' asks for 13 clusters but has 12 samples only"):
        lcbench.run("stsc", ArrayStream("mine", [LabelledTask(Task("t", DATA, 13), CLASSES)]))


def test_negative_features_fail_l2sc_with_advice_and_leave_the_others_alone():
    results = lcbench.run(["l2sc", "kmeans"], stream(DATA - 1))
    status = {run.method: run.status for run in results}
    assert status == {"stsc": "ok", "l2sc": "failed", "kmeans": "ok"}
    (failed,) = results.failed
    assert "l2sc needs features that are not negative, but task 'second' has -" in failed.error
    assert "shift or rescale them to [0, 1] for all tasks alike, or use a method without" in failed.error
    assert len(failed.scores["purity"]) == 1


def test_zero_rows_cost_a_warning_only(caplog):
    X = DATA.copy()
    X[:2] = 0
    results = lcbench.run(["l2sc", "usc", "kmeans"], stream(X))
    assert not results.failed
    (message,) = caplog.messages
    assert "Stream 'mine': 2 of the 12 rows of task 'second' are all zero" in message


def test_a_task_with_one_cluster_costs_a_warning_only(caplog):
    results = lcbench.run(["l2sc", "usc", "kmeans"], stream(y=np.zeros(12, dtype=int)))
    assert not results.failed
    (message,) = caplog.messages
    assert "task 'second' has one cluster: there is nothing to find in it" in message


@pytest.mark.parametrize(
    ("labels", "fault"),
    [
        (None, "partial_fit set no labels_ for task 'first'"),
        ([0, 1, 0], "partial_fit gave labels of shape (3,) for the 12 samples of task 'first'"),
        ([0.0, 1.0] * 6, "partial_fit gave labels of type float64 for task 'first'; labels are integers"),
        (["a", "b"] * 6, "labels are integers"),
        ([[0, 1]] * 12, "partial_fit gave labels of shape (12, 2)"),
    ],
)
def test_labels_that_break_the_contract_are_named_as_the_plugins_fault(labels, fault):
    failed, other = lcbench.run([Told(labels=labels), "one-cluster"], stream())
    assert failed.status == "failed"
    assert "Method Told of module small_methods broke its contract: " in failed.error
    assert fault in failed.error
    assert failed.error.endswith("The fault is in method Told of module small_methods.")
    assert other.status == "ok"


def test_an_object_that_is_no_method_is_refused():
    with pytest.raises(lcbench.LcbenchError, match="is no method: give a name such as 'l2sc:lam=10', or an instance"):
        lcbench.run([Told], stream())


def test_a_refused_folder_is_left_as_it_was_and_the_message_names_the_part(command, tmp_path):
    (tmp_path / "labels").write_text("mine")
    called = command("run", "--out", str(tmp_path))
    assert called.code == 2
    assert str(tmp_path / "labels") in called.err
    assert [path.name for path in tmp_path.iterdir()] == ["labels"]


def test_a_method_asked_for_twice_is_run_once_with_a_warning(command):
    called = command("run", "-m", "one-cluster", "-m", "same=one-cluster", "--json", "--quiet")
    assert len(called.out.splitlines()) == 1
    assert "'same' is the same method as 'one-cluster'" in called.err

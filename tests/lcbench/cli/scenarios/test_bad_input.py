from __future__ import annotations

import re
from pathlib import Path

import pytest

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
    ("--repeats", "9" * 23): "These are at least 599,999,999,999,999,999,999,994 runs, and 1,000,000 are the most",
    ("--dry-run", "--repeats", "1000000"): "These are at least 6,000,000 runs, and 1,000,000 are the most",
    ("-s", "digits:tasks=1e9"): "Stream 'digits': tasks takes a whole number from 1 to 1000, not '1e9'.",
    ("-s", "topics:tasks=1e9"): "Stream 'topics': tasks takes a whole number from 1 to 100000, not '1e9'.",
    ("-s", "topics:words=1e9"): "documents times words may be 100,000,000 in a task and 2,000,000,000 in all",
    ("nul.toml",): "nul.toml: results must be the name of a folder, not '\\x00'.",
    ("missing.toml",): "missing.toml: there is no such file.",
    ("bad.toml",): "bad.toml: repeats must be a whole number of at least 1, not 'ten'.",
    ("broken.toml",): "broken.toml, line 2: ",
    ("unknown.toml",): "unknown.toml: There is no method 'l2cs'. Did you mean 'l2sc'?",
}
FILES = {
    "bad.toml": 'repeats = "ten"', "broken.toml": "repeats = 1\nseed = = 2\n", "unknown.toml": 'methods = "l2cs"',
    "nul.toml": 'results = "\\u0000"',
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "sentence"), SENTENCES.items(), ids=[" ".join(key) for key in SENTENCES])
def test_a_wrong_name_option_or_file_gets_one_sentence_and_exit_code_2(refused, tmp_path, arguments, sentence):
    for name, text in FILES.items():
        Path(name).write_text(text)
    assert sentence in refused("run", *arguments, "--results", str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [("--repeats", "0"), ("--repeats", "two"), ("--seed", "-1"), ("--threads", "0")])
def test_a_number_out_of_range_is_a_usage_error_that_names_the_option(command, tmp_path, arguments):
    called = command("run", *arguments, "--results", str(tmp_path / "out"))
    assert (called.code, called.out) == (2, "")
    assert f"Invalid value for '{arguments[0]}'" in called.err
    assert "Traceback" not in called.err
    assert list(tmp_path.iterdir()) == []


def test_an_output_folder_that_cannot_be_used_is_refused_before_anything_runs_and_left_as_it_was(command):
    Path("file").write_text("mine")
    Path("out").mkdir()
    Path("out", "labels").write_text("mine")
    for out, part in (("file/below", "file/below/runs"), ("out", "out/labels")):
        called = command("run", "--results", out)
        assert (called.code, called.out) == (2, "")
        sentence = rf"lcbench: Results cannot be written to '{part}' \([\w ]+\): name another folder\.\n"
        assert re.fullmatch(sentence, called.err)
    assert {str(path): path.is_file() and path.read_text() for path in Path().rglob("*")} == {
        "file": "mine", "out": False, "out/labels": "mine"
    }  # fmt: skip


def test_a_results_folder_with_the_name_of_a_file_is_refused_unless_it_is_there(refused, command):
    sentence = "Results are a folder, and 'a.csv' is the name of a file: 'lcbench results export a.csv' and 'lcbench "
    assert sentence in refused("run", "--results", "a.csv")
    assert list(Path().iterdir()) == []
    Path("a.csv").mkdir()
    assert command("run", "--dry-run", "--results", "a.csv").code == 0

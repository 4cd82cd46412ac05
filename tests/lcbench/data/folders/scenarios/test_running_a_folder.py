"""A user's own folder is run, from Python and from the command line."""

from __future__ import annotations

import json
import sys

import pytest

import lcbench
from lcbench.cli import main
from lcbench.data.folders.folder_spec import folder_spec


def test_a_folder_runs_like_any_stream(array_folder):
    (record,) = lcbench.run("stsc", "./mine:clusters=3", order="random")
    assert (record.status, record.stream) == ("ok", "mine")
    assert record.scores["purity"][-1] == [1.0, 1.0, 1.0]
    assert record.stream_digest == folder_spec("./mine").digest


def test_a_folder_of_texts_runs(text_folder):
    results = lcbench.run(["kmeans"], "./mine:weighting=counts")
    assert all(record.status == "ok" for record in results)


def test_a_stream_without_labels_runs_on_internal_metrics(write, groups):
    write({f"{name}.npz": {"X": groups(seed)[0]} for seed, name in enumerate("ab")})
    (record,) = lcbench.run(["stsc"], "./mine:clusters=3")
    assert record.status == "ok"
    assert record.scores["silhouette"][1][1] > 0.9
    assert record.scores["purity"] == [[None, None], [None, None]]


def test_the_command_line_runs_a_folder(write, library_log, monkeypatch, capsys):
    rows = "".join(f"{c + i / 50},{1 - c},{'uv'[c]}\n" for i in range(10) for c in (0, 1))
    write({"a.csv": "x,z,topic\n" + rows, "b.csv": "x,z,topic\n" + rows})
    words = ["lcbench", "run", "--method", "kmeans", "--stream", "./mine:label=topic", "--json"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit, match="0"):
        main()
    (run,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert run["stream"] == "mine"
    assert run["stream_params"] == {"label": "topic", "clusters": None}
    assert run["scores"]["purity"][-1] == [1.0, 1.0]


def test_the_command_line_reports_a_fault_in_one_line(write, library_log, monkeypatch, capsys):
    write({"a.csv": "x,topic\n1,u\n2,v\n"})
    monkeypatch.setattr(sys, "argv", ["lcbench", "run", "--method", "kmeans", "--stream", "./mine"])
    with pytest.raises(SystemExit, match="2"):
        main()
    printed, said = capsys.readouterr()
    assert printed == ""
    assert "'./mine/a.csv': row 1 (line 2), column 'topic' holds 'u', which is no number" in said
    assert len(said.splitlines()) == 1

"""`lcbench reproduce` with a made-up table for digits; the paper's own tables are tried on real data."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lcbench
from lcbench.registry.host import plugin_host

METHODS = {
    "Plain": {"entry": "stsc", "seconds": 100},
    "Life": {"entry": "l2sc:lam=10", "seconds": 500, "grid": ["mu"]},
}
TASKS = [f"task-{number}" for number in (1, 2, 3, 4)]


@pytest.fixture
def made_up(publish, monkeypatch):
    """Publishes the table for digits with our two methods; calling it changes the table."""

    def change(**changes):
        spec = publish(**{"methods": METHODS} | changes)
        monkeypatch.setitem(plugin_host().registry.streams._specs, "digits", spec)

    change()
    return change


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_ours_are_the_runs_of_the_protocol_after_all_tasks(command, made_up):
    called = command("reproduce", "digits", "--format", "csv")
    assert called.code == 0
    runs = lcbench.run(
        "l2sc:lam=10", "digits:seed=1", order="random", repeats=2, baselines=False, out="lcbench-results"
    )
    last = np.array([[100 * run.scores["purity"][-1][run.order.index(task)] for task in TASKS] for run in runs])
    found = [row for row in rows(called.out) if row["method"] == "Life" and row["metric"] == "purity"]
    assert [row["task"] for row in found] == ["A", "B", "C", "D", "average"]
    expected = [*last.mean(axis=0), last.mean()]
    assert [float(row["ours_mean"]) for row in found] == pytest.approx(expected)
    assert [float(row["ours_sd"]) for row in found] == pytest.approx(
        [*last.std(axis=0, ddof=1), last.mean(axis=1).std(ddof=1)], abs=1e-9
    )
    paper = [90, 80, 70, 60, 77]
    assert [float(row["difference"]) for row in found] == pytest.approx(np.subtract(expected, paper))


def test_tables_show_protocol_cells_verdicts_seconds_and_what_is_wrong_in_the_paper(command, made_up):
    called = command("reproduce", "digits", "--quiet")
    out = called.out
    assert "About" not in called.err
    assert "Protocol for Table 9 of Nobody: Made Up, 2020" in out
    assert "Something the paper leaves open." in out
    assert re.search(r"Life +l2sc:lam=10", out)
    assert re.search(r"Plain +paper +65\.00 ±2\.50 +80\.00 ±1\.00 +70\.00 ±2\.00 +60\.00 ±3\.00 +50\.00 ±4\.00", out)
    assert "77.00 ±0.00†" in out
    assert "† Life: printed average 77.00; the mean of the printed rows is 75.00" in out
    assert re.search(r"Plain +(within 2|near|off) +[+-]\d+\.\d\d (within 2|near|off) +2\n", out)
    assert "Seconds of a run, ours beside Table 8" in out
    assert "Life: old tasks re-encoded when asked." in out


def test_finished_runs_are_not_run_again_and_other_commands_find_them(command, made_up):
    first = command("reproduce", "digits", "--format", "csv")
    assert "[4/4]" in first.err
    again = command("reproduce", "digits", "--format", "csv")
    assert "[" not in again.err
    assert again.out == first.out
    assert command(
        "run", "-m", "l2sc:lam=10", "-s", "digits:seed=1", "--order", "random", "--repeats", "2", "--no-solo", "-n"
    ).err == ("4 runs: 4 done already, 0 to do in lcbench-results\n")


def test_a_part_of_the_methods_other_repeats_and_another_seed(command, made_up):
    called = command("reproduce", "digits", "-m", "stsc", "--repeats", "3", "--seed", "5", "--results", "r", "-n")
    assert called.code == 0
    assert called.err.startswith("3 runs: 0 done already, 3 to do in r\n")
    assert "random orders, 3 repeats, seed 5" in called.out
    assert "Life" not in called.out


def test_a_dry_run_lists_the_runs_with_the_time_they_take_and_runs_nothing(command, made_up, tmp_path):
    called = command("reproduce", "digits", "-n", "--jobs", "1")
    assert called.code == 0
    assert len(re.findall(r"^  [0-9a-f]{10}  to do  ", called.out, re.MULTILINE)) == 4
    assert "digits:seed=1" in called.out
    assert "Protocol for Table 9" in called.out
    assert called.err.endswith("About 20 min with 1 job.\n")
    assert not (tmp_path / "lcbench-results").exists()


def test_full_chooses_among_the_papers_values_and_says_oracle(command, made_up):
    called = command("reproduce", "digits", "--full", "--repeats", "1", "-n")
    assert called.err.startswith("59 runs: 0 done already, 59 to do in lcbench-results; then 1 run will be chosen")
    assert "paper: mu" in called.out
    assert "(oracle)" in called.out


def test_full_shows_the_chosen_run(command, made_up, monkeypatch):
    spec = plugin_host().registry.methods["l2sc"]
    params = tuple(replace(p, grids={"paper": (0.01, 0.1)}) if p.name == "mu" else p for p in spec.params)
    monkeypatch.setitem(plugin_host().registry.methods._specs, "l2sc", replace(spec, params=params))
    called = command("reproduce", "digits", "--full")
    assert called.code == 0
    assert re.search(r"Life \(oracle\) +(within 2|near|off)", called.out)
    assert re.search(r"Life: chosen: mu=0\.01?\.", called.out)
    assert "Life: old tasks re-encoded when asked; tuned by oracle (with labels) over 2 points of mu." in called.out


@pytest.mark.parametrize(("words", "seconds"), [((), 3600.0), (("--timeout", "5min"), 300.0)])
def test_a_run_has_an_hour_unless_the_user_says_otherwise(command, made_up, monkeypatch, words, seconds):
    asked = []
    monkeypatch.setattr(
        "lcbench.cli.execute.carry_out_shown", lambda prepared, **_: asked.append(prepared.asked) or 1 / 0
    )
    command("reproduce", "digits", *words)
    assert [each.timeout for each in asked] == [seconds]


def test_failed_runs_are_shown_as_such_and_the_command_ends_with_1(command, made_up):
    made_up(methods=METHODS | {"Life": {"entry": "l2sc:k=500"}})
    called = command("reproduce", "digits")
    assert called.code == 1
    assert re.search(r"Life +no result +– +0 \+ 2 failed", called.out)
    assert re.search(r"Plain +(within 2|near|off)", called.out)
    assert called.err.startswith("About 2 min with 2 jobs.\n")
    assert (
        "l2sc:k=500 on digits:seed=1 failed in 2 runs, first after 0 of 4 tasks: "
        "plugin 'spectral' of distribution 'lcbench': Task "
    ) in called.err


def test_a_file_has_the_format_its_name_says(command, made_up):
    called = command("reproduce", "digits", "--out", "t.md", "-q")
    assert (called.code, called.out) == (0, "")
    assert Path("t.md").read_text(encoding="utf-8").startswith("### Protocol")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["iris"], "There are no published figures for 'iris'. There are some for webkb4, reuters, 20newsgroups."),
        (["topics"], "There are no published figures for 'topics'. There are some for webkb4, reuters, 20newsgroups."),
        (["webkb4:weighting=log"], "write 'webkb4' alone"),
        (["webkb4", "-m", "lsc"], "Table 1 has no method 'lsc'. Did you mean"),
    ],
)
def test_a_wrong_option_is_refused_with_a_sentence(refused, arguments, said):
    assert said in refused("reproduce", *arguments)


def test_without_the_data_the_message_names_the_stream_and_the_exit_code_is_3(command, monkeypatch, tmp_path):
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "none"))
    monkeypatch.delenv("LCBENCH_DATA", raising=False)
    called = command("reproduce", "webkb4", "-m", "stSC")
    assert called.code == 3
    assert "webkb4" in called.err
    assert called.out == ""


@pytest.mark.slow
def test_webkb4_is_reproduced_within_the_promised_points(command, webkb):
    """The averages of purity and RI: L2SC and stSC within 2.5 points of the paper's, uSC within 3.5."""
    called = command("reproduce", "webkb4", "--format", "csv", "-m", "stSC", "-m", "uSC", "-m", "L2SC")
    assert called.code == 0
    averages = [row for row in rows(called.out) if row["task"] == "average" and row["metric"] in ("purity", "ri")]
    assert len(averages) == 6
    for row in averages:
        assert abs(float(row["difference"])) <= {"stSC": 2.5, "L2SC": 2.5, "uSC": 3.5}[row["method"]], row
        assert row["runs"] == "10"

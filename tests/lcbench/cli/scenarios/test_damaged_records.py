"""A record that was edited costs its own run in every command, and nothing else; `run` makes it again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from edited_records import edit, older, write_older
from making import make_audited, make_record, make_results

import lcbench
from lcbench.records.store import RunStore

BEST = {"scores": {"purity": [[9.0, None], [9.0, 9.0]]}}
CHANGED = "it was changed: its checksum does not fit"
EDITS = {
    "a better score": (lambda file: edit(file, **BEST), CHANGED),
    "without a checksum": (
        lambda file: file.write_bytes(file.read_bytes().partition(b', "checksum"')[0] + b"}"),
        "no ",
    ),
    "cut off": (lambda file: file.write_bytes(file.read_bytes()[:-200]), "it is no JSON"),
    "no measure": (lambda file: edit(file, audit={"measure": None}), CHANGED),
    "unknown setting": (lambda file: edit(file, setting="lifelog"), CHANGED),
    "older, a better score": (lambda file: write_older(file, **BEST), "its purity of 9 is outside of the range"),
    "older, no measure": (lambda file: write_older(file, audit={"measure": None}), "its 'audit' cannot be read"),
    "older, unknown setting": (lambda file: write_older(file, setting="lifelog"), "its setting is 'lifelog'"),
}


@pytest.fixture(params=EDITS.values(), ids=EDITS)
def damaged(request):
    """Three runs of a method, the last of them damaged: its file and the reason."""
    runs = [make_record("m", repeat=repeat) for repeat in range(3)]
    file = make_results(*runs).run_file(runs[2].run_id)
    change, reason = request.param
    change(file)
    return file, reason


def test_tables_name_it_with_the_reason_and_show_the_others(command, damaged):
    file, reason = damaged
    for arguments in (("results", "list", "--all"), ("compare",)):
        called = command(*arguments)
        assert called.code == 0, called.err
        assert (f"'{file}' is damaged" in called.err, reason in called.err) == (True, True)
        assert "900" not in called.out
    assert "runs 2" in called.lines
    assert any(line.startswith(f"Left out 1 damaged run: {file.name[:8]} (") for line in called.lines)
    assert file.exists()


def test_figures_pages_and_exports_name_it_and_show_the_others(command):
    runs = [make_record("m", repeat=repeat) for repeat in range(3)]
    file = make_results(*runs).run_file(runs[2].run_id)
    edit(file, **BEST)
    for arguments in (
        ("plot", "cost", "--out", "a.svg"),
        ("report", "--out", "a.html"),
        ("results", "export", "a.csv"),
    ):
        called = command(*arguments)
        assert called.code == 0
        assert f"'{file}' is damaged ({CHANGED})" in called.err
    assert len({line.split(",")[0] for line in Path("a.csv").read_text().splitlines()[1:]}) == 2
    assert f"Left out 1 damaged run: {file.name[:8]} ({CHANGED})." in Path("a.html").read_text()


def test_run_makes_it_again_and_sets_it_aside(command):
    def run():
        return command("run", "-m", "random", "-s", "digits:tasks=2,per_class=5", "--quiet", "--json").runs

    (before,) = run()
    store = RunStore("lcbench-results")
    file = store.run_file(before["run_id"])
    edit(file, scores={**before["scores"], "purity": [[9.0, None], [9.0, 9.0]]})
    (after,) = run()
    assert (after["scores"], after["finished"] > before["finished"]) == (before["scores"], True)
    assert [
        json.loads(path.read_bytes())["scores"]["purity"][0][0] for path in Path(store.folder, "damaged").glob("*.json")
    ] == [9.0]
    assert command("results", "check").code == 0


def test_a_record_of_an_older_lcbench_whose_audit_is_whole_is_judged(command):
    run = make_audited()
    file = make_results(run).run_file(run.run_id)
    file.write_bytes(older(file.read_bytes()))
    assert lcbench.load_results().runs[0].verified is False
    assert any("keeps a library" in line for line in command("results", "show", run.run_id).lines)

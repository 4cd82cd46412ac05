"""A plugin that is one file, through whole experiments: processes, grids, audits, resuming, and what an edit does."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from listening import Started
from one_file_plugins import HOOKS, METHOD

import lcbench
from lcbench.cli import main
from lcbench.errors import PluginError
from lcbench.records.store import RunStore
from lcbench.running import launching
from lcbench.running.launching import Server

STREAM = "digits:tasks=2,per_class=4"
BROKEN = METHOD.replace("return (np", "raise RuntimeError('not yet')\n        return (np")


def run(*methods, plugins, streams=STREAM, **options):
    """The results of an experiment, and the labels of the runs that were made for it."""
    started = Started()
    found = lcbench.run(methods, streams, plugins=plugins, listeners=[started], **options)
    return found, started.labels


def shifted_labels(record, shift=0) -> bool:
    """True if the labels of all steps are those that the method of `METHOD` gives."""
    found = [labels for step in record.labels for labels in step.values()]
    return all(np.array_equal(labels, (np.arange(len(labels)) + shift) % (labels.max() + 1)) for labels in found)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_runs_have_processes_of_their_own_several_at_a_time_and_record_the_hash_of_the_file(plugin_file):
    found, _ = run("quick", "quick:shift=1", plugins=plugin_file("quick"), jobs=2, repeats=2)
    assert len(found) == 4
    assert len(found.solos) == 8
    for record in (*found, *found.solos):
        assert (record.status, record.isolated) == ("ok", True), record.error
        assert set(record.code.pop("packages")) == {"lcbench_indices", "lcbench_streams"}
        assert record.code == {
            "distribution": "file quick.py", "version": "", "sha256": sha256(METHOD),
            "files": {"quick.py": sha256(METHOD)},
        }  # fmt: skip
        assert shifted_labels(record, record.params["shift"])
    assert "--plugin" in found[0].command


@pytest.mark.slow
def test_it_works_where_there_is_no_fork_with_hooks_and_metrics_too(plugin_file, monkeypatch):
    server = Server(1, forks=False)
    monkeypatch.setattr(launching, "shared_server", lambda threads: server)
    try:
        found, _ = run("turns", plugins=plugin_file("hooked", HOOKS), streams="noise", audit="isolate")
    finally:
        server.close()
    (record,) = found
    assert (record.status, record.isolated, record.revision) == ("ok", True, 3)
    assert record.scores["constant"] == [[0.25, None], [0.25, 0.25]]
    assert record.audit["isolate"]["passed"] is True


def test_audits_rebuild_the_method_in_fresh_processes(plugin_file):
    found, _ = run("audited", plugins=plugin_file("audited"), audit=["isolate", "poison"], solo=False)
    assert {name: found[0].audit[name]["passed"] for name in ("isolate", "poison")} == {"isolate": True, "poison": True}


def test_a_sealed_run_needs_not_see_the_file(can_seal, plugin_file, tmp_path):
    looking = METHOD.replace("self.shift = shift", "self.shift = shift + __import__('os').path.exists(__file__)")
    found, _ = run("unseen", plugins=plugin_file("unseen", looking), out=tmp_path, sealed=True, solo=False)
    assert (found[0].status, found[0].sealed) == ("ok", True), found[0].error
    assert shifted_labels(found[0]), "the file lies in the folder for results, which is hidden"


def test_an_instance_of_a_class_of_the_file_is_sent_to_processes_too(plugin_file):
    found, _ = run("sent", plugins=plugin_file("sent"), solo=False)
    found, _ = run(sys.modules["sent"].Shifted(shift=2), plugins=(), solo=False)
    assert (found[0].status, found[0].isolated) == ("ok", True)
    assert shifted_labels(found[0], 2)


def test_the_unchanged_file_is_not_run_again_and_an_edited_one_is(plugin_file, tmp_path, caplog):
    path = plugin_file("resumed")
    first, made = run("resumed", plugins=path, out=tmp_path / "out")
    assert made == ["resumed"] * 3
    assert run("resumed", plugins=path, out=tmp_path / "out")[1] == []
    assert "edited" not in caplog.text
    edited = METHOD.replace("+ self.shift", "+ self.shift + 1")
    plugin_file("resumed", edited)
    again, made = run("resumed", "kmeans", plugins=path, out=tmp_path / "out")
    assert made.count("resumed") == 3
    assert "resumed.py was edited: 3 stored runs are made again." in caplog.text
    assert again[0].run_id == first[0].run_id
    assert shifted_labels(again[0], 1)
    stored = RunStore(tmp_path / "out")
    assert stored.load(first[0].run_id).code["files"] == {"resumed.py": sha256(edited)}
    assert run("resumed", "kmeans", plugins=path, out=tmp_path / "out")[1] == []


def test_a_failure_by_an_edited_file_takes_the_place_of_a_result_and_a_repaired_file_is_run_again(
    plugin_file, tmp_path
):
    options = {"out": tmp_path / "out", "solo": False}
    path = plugin_file("repaired")
    (good,), _ = run("repaired", plugins=path, **options)
    plugin_file("repaired", BROKEN)
    (bad,), made = run("repaired", plugins=path, **options)
    assert (made, bad.run_id) == (["repaired"], good.run_id)
    assert bad.error.startswith(f"plugin file '{path}' raised RuntimeError: not yet (repaired.py:24")
    assert any("raise RuntimeError('not yet')" in line for line in bad.traceback), bad.traceback
    (still,), made = run("repaired", plugins=path, **options)
    assert (still.status, made) == ("failed", []), "it was tried with this very file"
    plugin_file("repaired")
    (repaired,), made = run("repaired", plugins=path, **options)
    assert (repaired.status, made) == ("ok", ["repaired"])


def test_fresh_with_the_same_file_keeps_a_result_if_it_fails(plugin_file, tmp_path):
    options = {"out": tmp_path / "out", "solo": False, "timeout": "1min"}
    waiting = METHOD.replace("import numpy", "import time\nimport numpy").replace(
        "self.labels_ =", "time.sleep(0.2)\n        self.labels_ ="
    )
    path = plugin_file("waiting", waiting)
    (good,), _ = run("waiting", plugins=path, **options)
    (late,), _ = run("waiting", plugins=path, **options | {"timeout": 0.1, "fresh": True})
    assert (good.status, late.status) == ("ok", "timeout")
    assert RunStore(tmp_path / "out").load(good.run_id).status == "ok"


def test_grids_and_tuning_are_made_again_for_an_edited_file(plugin_file, tmp_path):
    options = {"grid": {"tuned": {"shift": [0, 1]}}, "tune": "silhouette", "out": tmp_path / "out"}
    path = plugin_file("tuned")
    first, made = run("tuned", plugins=path, **options)
    assert len(made) == 4, "two points, and two tasks alone with the one that was chosen"
    assert run("tuned", plugins=path, **options)[1] == []
    plugin_file("tuned", METHOD.replace("% task.n_clusters", "% 2"))
    again, made = run("tuned", plugins=path, **options)
    assert len(made) == 4
    assert again[0].run_id == first[0].run_id
    stored = RunStore(tmp_path / "out").load(first[0].run_id)
    assert stored.scores == again[0].scores != first[0].scores
    assert stored.code["files"] == again[0].code["files"] != first[0].code["files"]


def test_an_edit_during_an_experiment_changes_nothing(plugin_file, tmp_path):
    path = Path(plugin_file("steady"))

    class Editing:
        @lcbench.hookimpl
        def lcbench_run_started(self, run):
            path.write_text(BROKEN)

    found = lcbench.run("steady", STREAM, plugins=path, repeats=3, solo=False, listeners=[Editing()])
    assert [(record.status, record.code["sha256"]) for record in found] == [("ok", sha256(METHOD))] * 3


def test_scores_by_an_edited_metric_are_made_again_from_the_labels(plugin_file, tmp_path, caplog):
    options = {"streams": STREAM, "out": tmp_path / "out", "metrics": "constant"}
    path = plugin_file("hooked", HOOKS)
    (before,), _ = run("one-cluster", plugins=path, **options)
    assert before.code["metrics"] == {"constant": sha256(HOOKS)}
    edited = HOOKS.replace("return 0.25", "return 0.5")
    plugin_file("hooked", edited)
    (after,), made = run("one-cluster", plugins=path, **options)
    assert (made, after.run_id) == ([], before.run_id)
    assert after.scores["constant"] == [[0.5, None], [0.5, 0.5]]
    assert after.scores["nmi"] == before.scores["nmi"]
    assert "The file of metric 'constant' was edited: 1 stored run is scored again." in caplog.text
    caplog.clear()
    stored = RunStore(tmp_path / "out").load(before.run_id)
    assert (stored.scores["constant"][0][0], stored.code["metrics"]) == (0.5, {"constant": sha256(edited)})
    run("one-cluster", plugins=path, **options)
    assert caplog.text == ""


def test_runs_on_a_stream_of_an_edited_file_are_made_again(plugin_file, tmp_path):
    options = {"streams": "noise", "out": tmp_path / "out"}
    path = plugin_file("hooked", HOOKS)
    assert run("kmeans", plugins=path, **options)[1] == ["kmeans"]
    assert run("kmeans", plugins=path, **options)[1] == []
    plugin_file("hooked", HOOKS.replace("default_rng(0)", "default_rng(1)"))
    assert run("kmeans", plugins=path, **options)[1] == ["kmeans"]


def test_a_file_that_cannot_be_loaded_costs_nothing_that_is_stored(plugin_file, tmp_path):
    path = plugin_file("costly")
    (before,), _ = run("costly", plugins=path, out=tmp_path / "out", solo=False)
    plugin_file("costly", "1 +")
    with pytest.raises(PluginError, match="SyntaxError"):
        run("costly", plugins=path, out=tmp_path / "out", solo=False)
    plugin_file("costly")
    (after,), made = run("costly", plugins=path, out=tmp_path / "out", solo=False)
    assert (made, after.scores) == ([], before.scores)


@pytest.fixture
def printed(library_log, monkeypatch, capsys):
    """Calls the command line in this process, and gives what it printed."""

    def call(*words: object) -> str:
        monkeypatch.setattr(sys, "argv", ["lcbench", *map(str, words)])
        with pytest.raises(SystemExit, match="0"):
            main()
        return capsys.readouterr().out

    return call


@pytest.mark.slow
def test_the_command_line_with_json_and_a_dry_run_and_an_experiment_file(plugin_file, tmp_path, printed):
    path = plugin_file("typed", METHOD + "print('hello')\n")
    words = ("run", "--plugin", path, "-m", "typed", "-s", STREAM, "--no-solo")
    planned = json.loads(printed(*words, "--dry-run", "--json"))
    assert (planned["method"], planned["to_do"]) == ("typed", True)
    process = [sys.executable, "-m", "lcbench", *words, "--json"]
    made = json.loads(subprocess.run(process, capture_output=True, text=True, check=True).stdout)
    assert (made["run_id"], made["status"]) == (planned["run_id"], "ok")
    assert made["command"] == f"lcbench run --method typed --stream {STREAM} --plugin {path} --no-solo"
    (tmp_path / "paper.toml").write_text(
        f'plugins = "typed.py"\nmethods = "typed"\nstreams = "{STREAM}"\nsolo = false\n'
    )
    again = printed("run", tmp_path / "paper.toml", "--dry-run")
    assert again.splitlines()[1].split()[:2] == [made["run_id"][:10], "done"]

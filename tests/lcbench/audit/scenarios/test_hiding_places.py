"""Hiding places outside of a method's own memory: each has the verdicts that docs/audit.md promises."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

import lcbench
from lcbench.audit.verdict import verdict
from lcbench.running import launching

pytestmark = pytest.mark.slow
STREAM = "digits:tasks=3,per_class=5"
SEEN, UNSEEN, NOT_PROVED, IMPOSSIBLE = "seen", "–", "not proved", "impossible"


@pytest.fixture
def surroundings(monkeypatch, tmp_path):
    """A home folder, a folder elsewhere, a name for what is left behind, and a server that knows them."""
    real = Path.home()
    with tempfile.TemporaryDirectory(prefix="lcbench-test-", dir=real) as elsewhere:
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("LCBENCH_CHEAT", str(os.getpid()))
        monkeypatch.setenv("LCBENCH_CHEAT_FOLDER", elsewhere)
        monkeypatch.setenv("LCBENCH_CHEAT_STREAM", STREAM)
        monkeypatch.setattr(launching, "_servers", {})
        Path(elsewhere, "anew").mkdir()
        earlier = [Path(folder, f"lcbench-cheat-{os.getpid()}-earlier") for folder in (elsewhere, "/tmp")]
        for file in earlier:
            file.write_bytes(np.ones(9, np.float32).tobytes())
        yield
        earlier[1].unlink()
        for server in launching._servers.values():
            server.close()


def cheating(cheats):
    from lcbench_cheats import hiding, outside

    hidden = [cheats.HidesElsewhere(place=place) for place in (*hiding.ABROAD, *outside.OUTSIDE)]
    return [*hidden, cheats.HidesElsewhere(place="module global"), cheats.FillsBuffer(), cheats.KeepsLast()]


def audited(methods, stream=STREAM, **options):
    """The record of each method by its hiding place, with all audits, made in one experiment."""
    options = {"baselines": False, "solo": False, "audit": ["isolate", "poison"], "jobs": 2, **options}
    runs = lcbench.run(methods, stream, **options).runs
    assert [run.error for run in runs if run.status != "ok"] == []
    return {run.params.get("place", run.method.rpartition(".")[2]): run for run in runs}


def outcomes(run, stream=STREAM):
    """What `measure`, `isolate` and `poison` find, each for itself; or that the method had nothing to remember by."""
    from lcbench_cheats.methods import split

    task = lcbench.load_stream(stream).tasks()[1].task  # with one before and one after it
    if np.array_equal(run.labels[1][task.name], split(task, 0.0)):
        return IMPOSSIBLE
    measured = verdict(run.setting, run.state_bytes, {"measure": run.audit["measure"]}).within_promise
    replays = [run.audit["isolate"], run.audit["poison"]]
    return {True: UNSEEN, False: SEEN}[measured], *(
        UNSEEN if found["passed"] else SEEN if found["repeats"] else NOT_PROVED for found in replays
    )


BY_ALL_BUT_POISON, BY_ISOLATE, BY_NONE = (SEEN, SEEN, UNSEEN), (UNSEEN, SEEN, UNSEEN), (UNSEEN, UNSEEN, UNSEEN)
PLACES = {  # without the seal, and sealed
    "module global": (BY_ALL_BUT_POISON, BY_ALL_BUT_POISON),
    "another library": (BY_ISOLATE, BY_ISOLATE),
    "environment": (BY_ISOLATE, BY_ISOLATE),
    "thread left behind": (BY_ISOLATE, BY_ISOLATE),
    "everything there is": (BY_ISOLATE, BY_ISOLATE),
    "frames": (BY_ISOLATE, BY_ISOLATE),
    "server left behind": (BY_ISOLATE, BY_ISOLATE),
    "memory file of a child": (BY_ISOLATE, BY_ISOLATE),
    "working folder": (BY_ISOLATE, BY_ISOLATE),
    "TMPDIR": (BY_ISOLATE, BY_ISOLATE),
    "/tmp": (BY_ISOLATE, BY_ISOLATE),
    "/var/tmp": (BY_ISOLATE, BY_ISOLATE),
    "/dev/shm": (BY_ISOLATE, BY_ISOLATE),
    "named shared memory": (BY_ISOLATE, BY_ISOLATE),
    "shared memory of System V": (BY_ISOLATE, BY_ISOLATE),
    "message queue": (BY_ISOLATE, BY_ISOLATE),
    "home folder": (BY_ISOLATE, IMPOSSIBLE),
    "keys of the kernel": (IMPOSSIBLE, IMPOSSIBLE),
    "another folder": ((UNSEEN, NOT_PROVED, NOT_PROVED), IMPOSSIBLE),
    "another folder, begun anew": (BY_NONE, IMPOSSIBLE),
    "earlier run, /tmp": (BY_NONE, IMPOSSIBLE),
    "earlier run, another folder": (BY_NONE, BY_NONE),
    "stream, old tasks": (BY_NONE, BY_NONE),
    "stream, tasks to come": (BY_NONE, BY_NONE),
    "generator": (BY_NONE, BY_NONE),
    "FillsBuffer": (BY_NONE, BY_NONE),
    "KeepsLast": (BY_NONE, BY_NONE),
}


def test_every_hiding_place_has_the_verdicts_that_the_docs_promise(cheats, surroundings):
    runs = audited(cheating(cheats))
    if not runs["/tmp"].audit["isolate"]["private_folders"]:
        pytest.skip("the kernel gives processes no private folders here")
    assert {place: outcomes(run) for place, run in runs.items()} == {name: found[0] for name, found in PLACES.items()}
    left = {place for place, run in runs.items() if run.processes_left}
    assert left == {"server left behind", "memory file of a child", "named shared memory"}


def test_the_seal_excludes_more_of_them(cheats, surroundings, can_seal):
    runs = audited(cheating(cheats), sealed=True)
    assert {place: outcomes(run) for place, run in runs.items()} == {name: found[1] for name, found in PLACES.items()}


def test_the_stream_of_a_folder_can_be_loaded_again_unless_it_is_sealed(cheats, surroundings, can_seal, monkeypatch):
    folder = Path(os.environ["LCBENCH_CHEAT_FOLDER"], "stream")
    folder.mkdir()
    for labelled in lcbench.load_stream(STREAM).tasks():
        np.savez(folder / f"{labelled.name}.npz", X=labelled.task.X, y=labelled.y)
    monkeypatch.setenv("LCBENCH_CHEAT_STREAM", str(folder))
    methods = [cheats.HidesElsewhere(place=f"stream, {which}") for which in ("old tasks", "tasks to come")]
    for sealed, expected in ((False, BY_NONE), (True, IMPOSSIBLE)):
        runs = audited(methods, str(folder), sealed=sealed)
        assert [outcomes(run, str(folder)) for run in runs.values()] == [expected] * 2

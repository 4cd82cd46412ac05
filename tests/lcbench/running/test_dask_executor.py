"""A Dask cluster makes the same runs as this machine, with the same limits; labels stay with lcbench.

A scheduler and workers are processes of their own, on the loopback interface.
"""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hostile_methods
import numpy as np
import pytest
from one_file_plugins import METHOD

import lcbench
from lcbench.experiment.options import Experiment
from lcbench.experiment.pipeline import carry_out, prepare
from lcbench.records.record import CRASHED, FAILED, OK, OUT_OF_MEMORY, TIMEOUT

pytest.importorskip("distributed", reason="the extra dask is not installed")
from dask_processes import DaskProcesses, made, on

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are ended as on Linux")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler and two workers, for tests that leave them as they are."""
    with DaskProcesses(tmp_path_factory.mktemp("dask")) as dask:
        for _ in range(2):
            dask.start_worker()
        yield dask


@pytest.mark.slow
def test_a_hang_a_crash_an_error_and_a_memory_hog_cost_their_own_run_only(cluster, module_stream):
    names = ["Segfaults", "HangsInLapack", "EatsMemory", "Raises", "LeavesAForkBehind", "GoesByHash", "Good"]
    methods = {name: getattr(hostile_methods, name)() for name in names}
    limits = {"timeout": "15s", "memory_limit": "700MB"}
    there = on(cluster, methods, module_stream, **limits)
    here = lcbench.run({name: methods[name] for name in ("GoesByHash", "Good", "Raises")}, module_stream)
    status = {run.label: run.status for run in there}
    assert status == {
        "Segfaults": CRASHED, "HangsInLapack": TIMEOUT, "EatsMemory": OUT_OF_MEMORY, "Raises": FAILED,
        "LeavesAForkBehind": CRASHED, "GoesByHash": OK, "Good": OK,
    }  # fmt: skip
    by_label = {run.label: run for run in there}
    for run in here:  # GoesByHash: though Dask gives its workers another seed of Python's hashes
        other = by_label[run.label]
        assert (run.labels_digest, run.scores, run.error) == (other.labels_digest, other.scores, other.error)
    assert by_label["Raises"].traceback == next(run for run in here if run.label == "Raises").traceback


@dataclass
class Seen:
    """An experiment on the cluster, and all that was said and sent meanwhile."""

    runs: dict[str, Any]
    said: list[str]
    sent: bytes


@pytest.fixture(scope="module")
def seen(cluster, module_stream):
    """Two methods, one of them loud, with every audit; each worker has one of them."""
    from distributed.comm import tcp

    sent, said, framed, logger = [], [], tcp.to_frames, logging.getLogger("lcbench")

    async def kept(*arguments, **options):
        frames = await framed(*arguments, **options)
        sent.extend(bytes(frame) for frame in frames)
        return frames

    class Ear(logging.Handler):
        def emit(self, record):
            said.append(record.getMessage())

    methods = {"kmeans": "kmeans:n_init=1", "loud": hostile_methods.Warns()}
    logger.addHandler(ear := Ear())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tcp, "to_frames", kept)
        runs = on(cluster, methods, module_stream, audit=["isolate", "poison"])
    logger.removeHandler(ear)
    return Seen({run.label: run for run in runs}, said, b"\n".join(sent))


def test_audits_are_made_on_workers(seen):
    audit = seen.runs["kmeans"].audit
    assert {mode: audit[mode]["passed"] for mode in ("isolate", "poison")} == {"isolate": True, "poison": True}
    assert audit["measure"]["complete"]


def test_what_methods_log_is_shown_here_after_their_names(seen):
    assert any(message.startswith("loud: ") for message in seen.said)


def test_no_label_leaves_for_the_cluster(seen, module_stream):
    for labelled in module_stream.tasks():
        assert seen.sent.count(labelled.task.X.tobytes()) == 1, "the data of a task leave once, for all workers"
        for kind in (np.int64, np.int32, np.int8):
            assert labelled.y.astype(kind).tobytes() not in seen.sent


def test_a_cluster_that_was_given_is_left_as_it_was(cluster, seen):
    from distributed import Client

    with Client(cluster.address, set_as_default=False) as client:
        assert len(client.nthreads()) == 2
        assert client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) == 0
        kept = client.run(lambda: len(__import__("lcbench.running.dask_worker").running.dask_worker._stations))
        assert list(kept.values()) == [0, 0]


@pytest.mark.slow
def test_a_plugin_of_one_file_is_sent_along_and_its_text_is_what_counts(cluster, plugin_file):
    path = Path(plugin_file("mine_there", METHOD))
    asked = {"methods": "mine_there:shift=1", "streams": "digits:tasks=2,per_class=5", "plugins": path, "solo": False}
    here = lcbench.run(**asked)
    there = on(cluster, **asked)
    assert made(there) == made(here)
    assert there[0].code["files"] == here[0].code["files"]


@pytest.mark.slow
def test_without_an_address_a_cluster_is_started_here_and_ended(module_stream):
    here = lcbench.run(["random", "kmeans:n_init=1"], module_stream, repeats=2)
    there = lcbench.run(["random", "kmeans:n_init=1"], module_stream, repeats=2, executor="dask", jobs=2)
    assert made(there) == made(here)


def test_runs_that_were_finished_here_are_not_made_again_there(tmp_path):
    asked = {"methods": "random", "streams": "digits:tasks=2,per_class=5", "results": tmp_path}
    here = carry_out(prepare(Experiment(**asked, repeats=2)), executor=lcbench.InProcess())
    there = prepare(Experiment(**asked, repeats=3, executor="dask")).backlog
    assert [planned.run_id for planned in there.done] == [run.run_id for run in here]
    assert [planned.repeat for planned in there.left] == [2]


@pytest.mark.slow
def test_sealed_runs_cannot_reach_the_cluster_from_their_workers(cluster, module_stream, can_seal):
    scheduler = int(cluster.address.rpartition(":")[2])
    methods = {
        "connects": hostile_methods.Connects(port=scheduler), "killer": hostile_methods.KillsTheDaskWorker(),
        "good": hostile_methods.Good(),
    }  # fmt: skip
    sealed = on(cluster, methods, module_stream, sealed=True)
    assert {run.label: (run.status, run.sealed) for run in sealed} == dict.fromkeys(methods, (OK, True))
    (open_run,) = on(cluster, {"connects": methods["connects"]}, module_stream)
    assert (open_run.status, open_run.sealed) == (FAILED, False)
    assert "connected" in open_run.error

"""`lcbench run --executor dask` as a user types it: interrupted, without its scheduler, and only looked at."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import lcbench
from lcbench import hookimpl
from lcbench.errors import ClusterError
from lcbench.running import dask_cluster

pytest.importorskip("distributed", reason="the extra dask is not installed")
from dask_processes import DaskProcesses

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are ended as on Linux"),
]
THIRTY = ("-m", "l2sc", "-s", "digits:tasks=6,per_class=10", "--order", "random", "--repeats", "30", "--no-solo",
          "--no-baseline")  # fmt: skip


def free_port() -> int:
    with socket.socket() as any_socket:
        any_socket.bind(("127.0.0.1", 0))
        return any_socket.getsockname()[1]


@pytest.fixture
def cluster(tmp_path):
    """A scheduler that can be started again at its address, and two workers."""
    with DaskProcesses(tmp_path, port=free_port()) as dask:
        dask.start_worker()
        dask.start_worker(nanny=True)
        yield dask


def started(*words):
    return subprocess.Popen(
        [sys.executable, "-m", "lcbench", "run", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def stored():
    return set(Path("lcbench-results").glob("runs/*.json"))


@pytest.mark.parametrize("given", [True, False], ids=["a cluster", "a cluster of its own"])
def test_ctrl_c_keeps_finished_runs_leaves_a_given_cluster_and_the_same_command_goes_on(cluster, given):
    words = (*THIRTY, "--executor", "dask", *(("--scheduler", cluster.address) if given else ("--jobs", "2")))
    process = started(*words)
    deadline = time.monotonic() + 90
    while len(stored()) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    kept = stored()
    assert process.returncode == 130
    assert re.search(r"interrupted; \d+ of 30 runs are kept", errors)
    assert "Traceback" not in errors
    assert [worker.poll() for worker in cluster.workers] == [None, None]
    process = started(*words, "--quiet")
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert kept < stored()
    assert len(stored()) == 30


class AfterFive:
    """Calls a function once five runs have ended."""

    def __init__(self, call):
        self.ended, self._call = 0, call

    @hookimpl
    def lcbench_run_finished(self, run):
        self.ended += 1
        if self.ended == 5:
            self._call()


TWENTY = {"methods": "kmeans:n_init=1", "streams": "digits:tasks=3,per_class=8", "repeats": 20}


def test_a_scheduler_that_goes_away_is_waited_for(cluster, caplog):
    def back() -> None:
        time.sleep(8)
        cluster.start_scheduler()
        cluster.start_worker()  # Dask's workers end without their scheduler

    returning = threading.Thread(target=back)

    def gone() -> None:
        cluster.kill(cluster.scheduler)
        returning.start()

    found = lcbench.run(**TWENTY, executor="dask", scheduler=cluster.address, listeners=[AfterFive(gone)])
    returning.join()
    assert "is gone: waiting for it" in caplog.text
    assert [run.labels_digest for run in found] == [run.labels_digest for run in lcbench.run(**TWENTY)]


def test_a_scheduler_that_stays_away_ends_the_command_and_finished_runs_are_kept(cluster, monkeypatch, tmp_path):
    monkeypatch.setattr(dask_cluster, "SECONDS_TO_RETURN", 4.0)
    out = tmp_path / "results"
    gone = AfterFive(lambda: cluster.kill(cluster.scheduler))
    with pytest.raises(ClusterError, match=r"did not come back within 4 s: runs that had ended are kept"):
        lcbench.run(**TWENTY, executor="dask", scheduler=cluster.address, out=out, listeners=[gone])
    assert gone.ended <= len(list(out.glob("runs/*.json"))) < 20
    again = AfterFive(lambda: None)
    lcbench.run(**TWENTY, out=out, listeners=[again])
    assert again.ended == 20 - gone.ended


def test_a_dry_run_says_how_many_workers_there_are_and_how_long_it_may_take(cluster):
    words = ("-m", "kmeans", "-s", "digits:tasks=2,per_class=5")
    assert started(*words, "--quiet").wait(60) == 0
    look = ("--repeats", "3", "--dry-run", "--executor", "dask")
    deadline = time.monotonic() + 30
    while True:
        _, errors = (process := started(*words, *look, "--scheduler", cluster.address)).communicate(timeout=60)
        assert process.returncode == 0, errors
        if "2 workers" in errors or time.monotonic() > deadline:
            break
    assert re.search(r"Dask: 2 workers, 2 runs at a time; about \d+ s of learning by stored runs\n", errors)
    _, errors = started(*words, *look, "--jobs", "3").communicate(timeout=60)
    assert "Dask: 3 workers, 3 runs at a time" in errors
    process = started(*words, *look, "--scheduler", "tcp://127.0.0.1:9")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "There is no Dask scheduler at tcp://127.0.0.1:9" in errors


def test_tls_is_taken_from_dasks_configuration(tmp_path, monkeypatch):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
         "-subj", "/CN=localhost"], check=True, capture_output=True,
    )  # fmt: skip
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    monkeypatch.setenv(f"{prefix}CA_FILE", str(certificate))
    for role in ("CLIENT", "SCHEDULER", "WORKER"):
        monkeypatch.setenv(f"{prefix}{role}__CERT", str(certificate))
        monkeypatch.setenv(f"{prefix}{role}__KEY", str(key))
    words = ("-m", "random", "-s", "digits:tasks=2,per_class=5", "--quiet", "--executor", "dask", "--scheduler")
    with DaskProcesses(tmp_path, protocol="tls") as dask:
        assert dask.address.startswith("tls://")
        dask.start_worker()
        _, errors = (process := started(*words, dask.address)).communicate(timeout=120)
        assert process.returncode == 0, errors
        assert len(stored()) == 1
        monkeypatch.delenv(f"{prefix}CLIENT__CERT")
        monkeypatch.delenv(f"{prefix}CLIENT__KEY")
        _, errors = (process := started(*words, dask.address, "--seed", "2")).communicate(timeout=120)
        assert (process.returncode, len(stored())) == (2, 1)
        assert f"The connection to the Dask scheduler at {dask.address} needs TLS" in errors

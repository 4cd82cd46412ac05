"""What a sealed experiment hides, and that it does not begin where that cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from making import make_stream
from plans import run, run_in_processes

import lcbench
from lcbench.errors import ParameterError
from lcbench.experiment.options import Experiment
from lcbench.experiment.pipeline import carry_out, executor_of, prepare
from lcbench.records.store import RunStore
from lcbench.running.executor import InProcess


@pytest.fixture
def sealable(monkeypatch):
    """As where bubblewrap works."""
    monkeypatch.setattr("lcbench.running.sealing.bubblewrap", lambda hidden, shown: [])
    monkeypatch.setattr("lcbench.running.sealing.check", lambda words: None)


@pytest.mark.usefixtures("sealable")
def test_a_sealed_experiment_hides_the_cache_the_data_the_results_and_the_folder_of_its_stream(tmp_path, monkeypatch):
    folder = tmp_path / "stream"
    folder.mkdir()
    for labelled in make_stream().tasks():
        np.savez(folder / f"{labelled.name}.npz", X=labelled.task.X, y=labelled.y)
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LCBENCH_DATA", str(tmp_path / "data"))
    every = {tmp_path / name for name in ("cache", "data", "results", "stream")}
    for streams, results in (
        (str(folder), tmp_path / "results"),
        (lcbench.load_stream(str(folder)), RunStore(tmp_path / "results")),
    ):
        asked = Experiment(methods="random", streams=streams, results=results, sealed=True)
        assert every <= set(executor_of(prepare(asked))._hidden)
        assert (tmp_path / "cache").is_dir(), "what is not there cannot be hidden"
        assert (tmp_path / "results").is_dir()
        (tmp_path / "results").rmdir()


@pytest.mark.usefixtures("sealable")
def test_an_experiment_is_not_sealed_if_a_folder_that_must_be_hidden_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(ParameterError, match=r"^Runs cannot be sealed, as .*cache', which must be hidden from them"):
        run_in_processes("random", "digits:tasks=2", sealed=True)


def test_where_runs_cannot_be_sealed_no_folder_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "cache"))
    with pytest.raises(ParameterError, match="cannot be sealed here"):
        run_in_processes("random", "digits:tasks=2", results=tmp_path / "results", sealed=True)
    assert list(tmp_path.iterdir()) == []


def test_an_executor_that_cannot_seal_is_refused_for_a_sealed_experiment(blob_stream):
    prepared = prepare(Experiment(methods="random", streams=blob_stream, sealed=True))
    with pytest.raises(ParameterError, match=r"^The executor InProcess cannot seal runs: leave out"):
        carry_out(prepared, executor=InProcess())


@pytest.mark.usefixtures("sealable")
def test_stored_runs_that_were_not_sealed_are_counted_when_sealed_ones_are_asked_for(blob_stream, tmp_path, caplog):
    run(["random", "kmeans"], blob_stream, results=tmp_path)
    assert "sealed" not in caplog.text
    run_in_processes(["random", "kmeans"], blob_stream, results=tmp_path, sealed=True)
    assert "2 runs that were stored before were not sealed: --fresh makes them again." in caplog.messages

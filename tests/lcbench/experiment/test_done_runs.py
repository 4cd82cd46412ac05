from __future__ import annotations

import numpy as np

import lcbench
from lcbench.records.store import RunStore


def test_a_warning_says_that_the_code_of_stored_runs_was_changed(blob_stream, tmp_path, monkeypatch, caplog):
    for count, said in ((1, "the run here was made"), (2, "the 2 runs here were made")):
        lcbench.run("random", blob_stream, repeats=count, out=tmp_path, executor=lcbench.InProcess())
        with monkeypatch.context() as patch:
            patch.setattr("lcbench.experiment.done_runs.changed_code", lambda *_: True)
            lcbench.run("random", blob_stream, repeats=count, out=tmp_path)
        assert caplog.messages.pop().startswith(f"The code of 'random' was changed since {said}, and its revision")


def test_a_run_whose_labels_are_gone_or_edited_joins_another_experiment_all_the_same(blob_stream, tmp_path):
    (made,) = lcbench.run("random", blob_stream, out=tmp_path, executor=lcbench.InProcess())
    store = RunStore(tmp_path)
    for name, harm in (("gone", store.labels_file(made.run_id).unlink), ("edited", lambda: None)):
        harm()
        lcbench.run("random", blob_stream, out=tmp_path, name=name)
        assert name in RunStore(tmp_path).load(made.run_id).experiments
        np.savez(store.labels_file(made.run_id), **{"step-1-task-1": np.zeros(60, dtype=int)})
    again = RunStore(tmp_path).load(made.run_id)
    assert (again.finished, again.digest, again.experiments) == (made.finished, made.labels_digest, ("gone", "edited"))

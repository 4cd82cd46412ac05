from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from making import make_stream

import lcbench
from lcbench.errors import DataUnavailableError
from lcbench.experiment.rescoring import NotRescoredError, Rescoring
from lcbench.registry.host import plugin_host

STREAM = "digits:tasks=2,per_class=5"


@pytest.fixture(scope="module")
def run():
    """A run with its labels."""
    (made,) = lcbench.run("random", STREAM, metrics="silhouette", executor=lcbench.InProcess())
    return made


@pytest.fixture
def differences():
    with Rescoring() as rescoring:
        yield lambda record: list(rescoring.differences(record))


def test_the_scores_of_a_run_are_those_of_its_labels(run, differences):
    assert "silhouette" in run.scores
    assert differences(run) == []


def test_a_cell_that_is_gone_or_there_by_mistake_differs(run, differences):
    without = {**run.scores, "purity": [[None, None], *run.scores["purity"][1:]]}
    (said,) = differences(replace(run, scores=without))
    assert said.startswith("purity of task 'task-1' after 1 task is missing, and the labels give 0.")
    beside = {**run.scores, "purity": [[run.scores["purity"][0][0], 0.5], *run.scores["purity"][1:]]}
    (said,) = differences(replace(run, scores=beside))
    assert said == "purity of task 'task-2' after 1 task is 0.5, and the labels give missing"


def test_cells_that_differ_are_counted(run, differences):
    wrong = {**run.scores, "ari": [[0.9, None], [0.9, 0.9]]}
    (said,) = differences(replace(run, scores=wrong))
    assert said.endswith(", and 2 more")


def test_agreement_and_shares_are_computed_again_too(run, differences):
    (said,) = differences(replace(run, agreement=[[1.0, None], [0.25, 1.0]]))
    assert said == "agreement of task 'task-1' after 2 tasks is 0.25, and the labels give 1"
    (said,) = differences(replace(run, largest=[0.9, run.largest[1]]))
    assert said.startswith("largest share of task 'task-1' after all tasks is 0.9, and the labels give 0.")


def test_the_folder_of_a_user_is_found_by_the_command(tmp_path, differences, monkeypatch):
    folder = tmp_path / "mine"
    folder.mkdir()
    for labelled in make_stream(tasks=2).tasks():
        np.savez(folder / f"{labelled.name}.npz", X=labelled.task.X, y=labelled.y)
    (run,) = lcbench.run("random", str(folder), executor=lcbench.InProcess())
    assert differences(run) == []
    np.savez(folder / "task-3.npz", X=labelled.task.X, y=labelled.y)
    with Rescoring() as later, pytest.raises(NotRescoredError, match=r"^the data of stream 'mine' are others by now$"):
        list(later.differences(run))
    folder.rename(tmp_path / "elsewhere")
    with Rescoring() as later, pytest.raises(NotRescoredError, match=r"^stream 'mine' is not known here$"):
        list(later.differences(run))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (DataUnavailableError("No."), "the data of .* are not available"),
        (KeyError("x"), "cannot be made: stream .* could not make its tasks: KeyError: 'x'"),
    ],
    ids=["no data", "broken"],
)
def test_a_stream_that_cannot_be_made_says_why(run, monkeypatch, differences, error, said):
    def fail(*_):
        raise error

    monkeypatch.setattr("lcbench.experiment.resolving.built_stream", fail)
    for _ in range(2):
        with pytest.raises(NotRescoredError, match=said):
            differences(run)


def test_a_metric_that_is_gone_is_named_after_the_others_were_compared(run, monkeypatch):
    monkeypatch.delitem(plugin_host().registry.metrics._specs, "silhouette")
    found = []
    with Rescoring() as rescoring, pytest.raises(NotRescoredError, match=r"^silhouette is not installed here$"):
        found.extend(rescoring.differences(replace(run, scores={**run.scores, "ari": [[0.9, None], [0.9, 0.9]]})))
    assert rescoring.count == 3 * (len(run.scores) - 1)


def test_a_run_counted_as_one_cluster_has_the_scores_of_the_method_of_that_name(run):
    (idle,) = lcbench.run("one-cluster", STREAM, executor=lcbench.InProcess())
    with Rescoring() as rescoring:
        made = rescoring.as_one_cluster(replace(run, status="failed", scores={}), ["purity", "ari", "nmi"])
    assert (made.run_id, made.status, made.order) == (run.run_id, "ok", run.order)
    assert made.scores == {metric: idle.scores[metric] for metric in ("purity", "ari", "nmi")}

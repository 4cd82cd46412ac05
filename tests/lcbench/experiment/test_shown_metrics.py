from __future__ import annotations

import numpy as np
import pytest

from lcbench.contract.stream import TaskStream
from lcbench.experiment.resolving import configured_streams
from lcbench.experiment.shown_metrics import first_metric, shown_metrics, warn_about_labels
from lcbench.records.record import RunRecord
from lcbench.registry.host import plugin_host

X = np.random.default_rng(0).random((12, 4))
Y = np.arange(12) % 2
USUAL = ["purity", "nmi", "ri"]


@pytest.fixture
def registry():
    return plugin_host().registry


def entry(**tasks):
    return configured_streams(TaskStream.from_arrays("mine", tasks, clusters=2))[0]


def record(status: str = "ok", **scores) -> RunRecord:
    return RunRecord("m", 1, {}, "lifelong", "s", {}, "", ("a", "b"), 0, 0, status=status, scores=scores)


def usual(R) -> dict:
    return dict.fromkeys(USUAL, R)


@pytest.mark.parametrize(
    ("y", "shown"),
    [((Y, Y), USUAL), ((None, None), ["silhouette"]), ((Y, None), [*USUAL, "silhouette"])],
    ids=["labels", "none", "some"],
)
def test_what_is_shown_depends_on_which_tasks_have_labels(y, shown):
    assert shown_metrics([entry(a=(X, y[0]), b=(X + 1, y[1]))], []) == shown


@pytest.mark.parametrize(
    ("scores", "shown"),
    [
        (usual([[0.5, None], [0.5, 0.5]]), USUAL),
        ({**usual([[0.5, None], [0.5, 0.5]]), "silhouette": [[0.1, None], [0.1, 0.1]]}, USUAL),
        ({**usual([[None, None], [None, None]]), "silhouette": [[0.1, None], [0.1, 0.1]]}, ["silhouette"]),
        ({**usual([[0.5, None], [0.5, None]]), "silhouette": [[0.1, None], [0.1, 0.1]]}, [*USUAL, "silhouette"]),
    ],
    ids=["labels", "labels and silhouette", "none", "some"],
)
def test_stored_runs_tell_by_their_scores_which_metrics_are_shown(scores, shown):
    assert shown_metrics([], [record(**scores)]) == shown


def test_a_run_that_broke_off_is_not_taken_for_one_without_labels():
    scores = {**usual([[0.5, None]]), "silhouette": [[0.1, None]]}
    assert shown_metrics([], [record("timeout", **scores)]) == USUAL


def test_the_metric_to_tune_by_is_the_first_that_compares_with_labels():
    assert first_metric(["silhouette", "ari", "nmi"], "oracle") == "ari"
    assert first_metric("nmi", "oracle") == "nmi"
    assert first_metric(["silhouette"], "oracle") is None
    assert first_metric(None, "oracle") is None
    assert first_metric(["puriti"], "none") is None  # nothing is tuned: it is looked at elsewhere


def test_a_warning_names_the_metrics_that_stay_empty_and_the_tasks_without_labels(registry, caplog):
    none, some = entry(a=(X, None), b=(X + 1, None)), entry(a=(X, Y), b=(X + 1, None))
    warn_about_labels([entry(a=(X, Y))], USUAL, registry)
    warn_about_labels([none], ["silhouette"], registry)
    assert caplog.messages == []
    warn_about_labels([none, some], ["nmi", "silhouette"], registry)
    assert caplog.messages == [
        "Stream 'mine' has no labels: nmi cannot be computed.",
        "Stream 'mine' has no labels for b: nmi cannot be computed there, nor averaged over all tasks.",
    ]

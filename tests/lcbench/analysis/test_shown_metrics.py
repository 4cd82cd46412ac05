from __future__ import annotations

import pytest

from lcbench.analysis.shown_metrics import shown_metrics
from lcbench.errors import ParameterError


def test_default_metrics_that_have_scores_are_shown(scored_run):
    run = scored_run("m", (0.5, 0.5))
    R = run.scores["nmi"]
    run.scores = {"ari": R, "ri": R, "nmi": R, "purity": [[None, None], [None, None]]}
    assert shown_metrics([run]) == ["nmi", "ri"]


def test_without_default_metrics_silhouette_is_shown_or_else_the_first_three(scored_run):
    run = scored_run("m", (0.5, 0.5))
    R = run.scores["nmi"]
    run.scores = dict.fromkeys(("w", "x", "y", "z"), R)
    assert shown_metrics([run]) == ["w", "x", "y"]
    run.scores["silhouette"] = R
    assert shown_metrics([run]) == ["silhouette"]


def test_a_stream_without_labels_adds_silhouette(scored_run):
    run, other = scored_run("m", (0.5, 0.5)), scored_run("m", (0.5, 0.5), stream_label="t")
    other.scores = {"silhouette": run.scores["nmi"]}
    assert shown_metrics([run, other]) == ["nmi", "silhouette"]
    run.scores["silhouette"] = run.scores["nmi"]
    assert shown_metrics([run]) == ["nmi"]


def test_a_metric_asked_for_must_have_scores_and_is_shown_once(scored_run):
    run = scored_run("m", (0.5, 0.5))
    run.scores["nmi:average=geometric"] = run.scores["nmi"]
    assert shown_metrics([run], ["nmi:average=geometric", "nmi", "nmi"]) == ["nmi:average=geometric", "nmi"]
    assert shown_metrics([run], ["nmi:average=arithmetic"]) == ["nmi"]  # its default
    with pytest.raises(ParameterError, match="None of the runs has ri"):
        shown_metrics([run], ["ri"])

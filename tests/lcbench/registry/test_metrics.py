from __future__ import annotations

import pytest

from lcbench.contract.specs import MetricKind, MetricSpec
from lcbench.errors import ParameterError, UnknownNameError
from lcbench.registry.building import build_metric
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import (
    check_metrics,
    default_metrics,
    first_external,
    greater_is_better,
    is_percent,
    labelled_tasks,
    metric_key,
    metric_spec,
    metrics_to_compute,
    shown_metrics,
    with_unit,
)

USUAL = ["purity", "nmi", "ri", "ari"]
FULL = [[0.5, None], [0.5, 0.5]]
EMPTY = [[None, None], [None, None]]


@pytest.fixture
def registry():
    return plugin_host().registry


@pytest.fixture
def loss(registry, monkeypatch) -> MetricSpec:
    """A registered metric of which less is better, and which is no share of 1."""
    spec = MetricSpec("loss", "a:B", MetricKind.EXTERNAL, greater_is_better=False, percent=False)
    monkeypatch.setitem(registry.metrics._specs, "loss", spec)
    monkeypatch.setitem(registry.metrics._sources, "loss", Source("tests", "tests"))
    return spec


def test_every_external_metric_is_computed_and_internal_ones_if_they_are_named(registry):
    external = {spec.name for spec in registry.metrics if spec.kind is MetricKind.EXTERNAL}
    assert set(metrics_to_compute([], registry)) == external
    assert set(metrics_to_compute(["silhouette", "nmi"], registry)) == {*external, "silhouette"}


def test_a_metric_with_other_parameters_is_computed_beside_the_one_with_the_defaults(registry):
    metrics = metrics_to_compute(["nmi:average=geometric", "nmi:average=arithmetic"], registry)
    assert metrics["nmi:average=geometric"][1] == {"average": "geometric"}
    assert metrics["nmi"][1] == {"average": "arithmetic"}
    assert {build_metric(*metrics[key]).average for key in ("nmi", "nmi:average=geometric")} == {
        "arithmetic",
        "geometric",
    }
    assert "nmi:average=arithmetic" not in metrics


def test_the_key_of_a_metric_has_only_the_parameters_that_are_not_at_their_defaults(registry):
    assert metric_key("nmi:average=geometric", registry) == "nmi:average=geometric"
    assert metric_key("nmi:average=arithmetic", registry) == metric_key("nmi", registry) == "nmi"


def test_a_wrong_name_or_parameter_of_a_metric_is_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'purity'"):
        check_metrics(["nmi", "puriti"])
    with pytest.raises(ParameterError, match="average takes one of"):
        check_metrics(["nmi:average=golden"])
    check_metrics(["nmi:average=geometric", "silhouette"])


@pytest.mark.parametrize(
    ("labelled", "shown"),
    [([], USUAL), ([True], USUAL), ([False, False], ["silhouette"]), ([True, False], [*USUAL, "silhouette"])],
    ids=["unknown", "labels", "none", "some"],
)
def test_labels_decide_which_metrics_are_shown_by_default(labelled, shown):
    assert default_metrics(labelled) == shown


def usual(R) -> dict:
    return dict.fromkeys(USUAL, R)


@pytest.mark.parametrize(
    ("scores", "labelled", "shown"),
    [
        (usual(FULL), [True, True], USUAL),
        ({**usual(FULL), "silhouette": FULL}, [True, True], USUAL),
        ({**usual(EMPTY), "silhouette": FULL}, [False, False], ["silhouette"]),
        ({**usual([[0.5, None], [0.5, None]]), "silhouette": FULL}, [True, False], [*USUAL, "silhouette"]),
        ({**usual([[0.5, None]]), "silhouette": [[0.5, None]]}, [], USUAL),
        ({"ari": FULL, "ri": FULL, "nmi": FULL, "purity": EMPTY}, [True, True], ["nmi", "ri", "ari"]),
        (dict.fromkeys("wxyz", FULL), [], ["w", "x", "y"]),
        ({**dict.fromkeys("wxyz", FULL), "silhouette": FULL}, [False], ["silhouette"]),
        (usual(EMPTY), [], []),
    ],
    ids=["labels", "and silhouette", "none", "some", "broken off", "some metrics", "others", "and those", "nothing"],
)
def test_stored_runs_tell_by_their_scores_which_tasks_have_labels_and_which_metrics_are_shown(scores, labelled, shown):
    assert labelled_tasks(scores) == labelled
    assert shown_metrics([scores]) == shown


def test_a_stream_without_labels_adds_silhouette():
    assert shown_metrics([{"nmi": FULL}, {"silhouette": FULL}]) == ["nmi", "silhouette"]


def test_a_metric_asked_for_must_be_in_some_run_and_is_shown_once():
    scores = dict.fromkeys(("nmi", "nmi:average=geometric", "gone", "gone:a=1"), FULL)
    assert shown_metrics([{}, scores], ["nmi:average=geometric", "nmi", "nmi"]) == ["nmi:average=geometric", "nmi"]
    assert shown_metrics([scores], ["nmi:average=arithmetic"]) == ["nmi"]  # its default
    assert shown_metrics([scores], ["gone:a=1", "gone"]) == ["gone:a=1", "gone"]  # its plugin need not be installed
    with pytest.raises(ParameterError, match=r"None of the runs has ri \(they have nmi, .*'lcbench run --metric ri'"):
        shown_metrics([scores], ["ri"])
    with pytest.raises(ParameterError, match="nothing was scored"):
        shown_metrics([usual(EMPTY)], ["ri"])
    with pytest.raises(UnknownNameError, match="There is no metric 'lost'"):
        shown_metrics([scores], ["lost"])


def test_the_first_external_metric_is_that_which_compares_with_labels():
    assert first_external(["silhouette", "ari", "nmi"]) == "ari"
    assert first_external("nmi") == "nmi"
    assert first_external(["silhouette"]) is None
    assert first_external(None) is None


def test_facts_about_a_metric_are_found_by_its_key_in_a_record(loss):
    assert metric_spec("nmi:average=geometric").name == "nmi"
    assert (greater_is_better("nmi:average=geometric"), is_percent("nmi:average=geometric")) == (True, True)
    assert not is_percent("silhouette")
    assert (metric_spec("loss"), greater_is_better("loss"), is_percent("loss")) == (loss, False, False)


def test_a_metric_whose_plugin_is_not_installed_is_taken_for_a_percentage_of_which_more_is_better():
    assert (metric_spec("gone"), greater_is_better("gone"), is_percent("gone")) == (None, True, True)


def test_a_metric_has_its_unit_at_the_head_of_a_column():
    assert (with_unit("nmi"), with_unit("silhouette")) == ("nmi (%)", "silhouette")

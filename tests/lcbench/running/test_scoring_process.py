from __future__ import annotations

import socket

import numpy as np
import pytest
from sklearn.metrics import rand_score

from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import metrics_to_compute
from lcbench.running.parcels import Parcel, TaskParcels
from lcbench.running.scoring_process import ScoringJob
from lcbench.running.wire import ClosedError


@pytest.fixture
def scoring(server):
    """A scoring process with all metrics of ours, told of nothing yet."""
    job = ScoringJob(metrics_to_compute(["silhouette"], plugin_host().registry))
    process = server.launch("scoring", job)
    assert process.receive(60)[0]["say"] == "ready"
    yield process
    process.kill()


def ask(process, tasks, labels, metrics):
    parcel = Parcel.of([each.astype("<i8").tobytes() for each in labels])
    process.send({"tasks": tasks, "metrics": metrics}, parcels=[parcel])
    parcel.close()
    message, content = process.receive(60)
    assert (message["say"], content) == ("scores", b"")
    return message["scores"]


def test_tasks_are_told_once_and_labels_are_scored_by_the_metrics_asked_for(scoring, module_stream):
    tasks = module_stream.tasks()
    parcels = TaskParcels(tasks, None, labelled=True)
    for i, key in enumerate("xyz"):
        described, parcel = parcels.lent(i)
        scoring.send({"task": key, **described}, parcels=[parcel])
        parcel.close()
    parcels.close()
    labels = [np.random.default_rng(seed).integers(4, size=60) for seed in range(3)]
    expected = [rand_score(labelled.y, found) for labelled, found in zip(tasks, labels, strict=True)]
    found = ask(scoring, ["x", "y", "z"], labels, ["ri"])
    assert found == {"ri": [pytest.approx(value) for value in expected]}
    turned = ask(scoring, ["z", "x"], [labels[2], labels[0]], ["silhouette", "ri"])
    assert list(turned) == ["silhouette", "ri"]
    assert turned["ri"] == [pytest.approx(expected[2]), pytest.approx(expected[0])]


def test_it_ends_by_itself_when_lcbench_closes_the_wire(scoring):
    scoring._connection.shutdown(socket.SHUT_WR)
    end = scoring.end()
    assert (end.how, end.status) == ("ended", 1)
    with pytest.raises(ClosedError):
        scoring.send({})


def test_a_metric_that_cannot_be_built_is_told_in_the_words_of_its_error(server):
    source = plugin_host().registry.metrics.source("nmi")
    process = server.launch("scoring", ScoringJob({"nmi": ("lcbench_indices.missing:NMI", {}, source)}))
    message, _ = process.receive(60)
    process.kill()
    assert message["say"] == "ready", "the others of its plugin can be computed"
    assert "lcbench_indices.missing" in message["unable"]["nmi"]

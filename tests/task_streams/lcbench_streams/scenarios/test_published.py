"""The tables of the L2SC paper in `published/`, compared with cells typed here from the paper's own pages."""

from __future__ import annotations

import itertools
from functools import cache

import pytest

from lcbench.analysis.published.reproduction import Reproduction
from lcbench.analysis.published.table import published_for
from lcbench.analysis.published.verdicts import misprint
from lcbench.analysis.run_scores import AVERAGE
from lcbench.contract.specs import resolve_params
from lcbench.experiment.planning import plan_experiment
from lcbench.registry.host import plugin_host
from lcbench.registry.names import parse_entry

STREAMS = ("webkb4", "reuters", "20newsgroups")
METHODS = ["stSC", "uSC", "OnestepSC", "MBC", "SMBC", "SMKC", "MTSC", "MTCMRL", "L2SC"]
METRICS = ["purity", "nmi", "ri"]

# The 17 printed averages that are not the mean of their rows, with that mean.
MISPRINTS = {
    ("webkb4", "purity", "MTCMRL"): (75.19, 75.30),
    ("webkb4", "nmi", "L2SC"): (46.26, 46.23),
    ("webkb4", "ri", "SMBC"): (70.29, 67.13),
    ("reuters", "purity", "MTSC"): (94.96, 94.84),
    ("reuters", "nmi", "uSC"): (79.36, 57.85),
    ("reuters", "nmi", "MTSC"): (83.63, 82.58),
    ("reuters", "nmi", "L2SC"): (87.71, 87.17),
    ("reuters", "ri", "MTSC"): (93.54, 93.41),
    ("reuters", "ri", "L2SC"): (96.23, 96.20),
    ("20newsgroups", "purity", "SMBC"): (57.01, 57.11),
    ("20newsgroups", "purity", "MTCMRL"): (74.91, 74.84),
    ("20newsgroups", "purity", "L2SC"): (77.73, 77.58),
    ("20newsgroups", "nmi", "stSC"): (33.03, 33.14),
    ("20newsgroups", "nmi", "SMBC"): (28.12, 28.87),
    ("20newsgroups", "nmi", "MTCMRL"): (48.39, 48.42),
    ("20newsgroups", "ri", "MTCMRL"): (76.15, 76.09),
    ("20newsgroups", "ri", "L2SC"): (81.12, 81.03),
}


@cache
def published(stream: str):
    return published_for(stream, plugin_host().registry)


@pytest.mark.parametrize("stream", STREAMS)
def test_every_table_has_all_methods_metrics_and_tasks(stream):
    table = published(stream)
    assert list(table.methods) == METHODS
    assert list(table.figures) == METRICS
    assert table.source.startswith("Sun, Cong, Wang, Li, Fu: Lifelong Spectral Clustering, AAAI 2020")
    assert table.table == f"Table {STREAMS.index(stream) + 1}"
    for rows in table.figures.values():
        assert list(rows) == [*table.tasks, AVERAGE]
        assert all(figure.sd is not None and 0 < figure.mean < 100 for row in rows.values() for figure in row)
    assert table.runtime.table == "Table 4"


@pytest.mark.parametrize(
    ("stream", "metric", "task", "method", "text"),
    [
        ("webkb4", "purity", "Task1", "L2SC", "80.00 ± 1.25"),
        ("webkb4", "nmi", "Task3", "MTCMRL", "40.97 ± 5.26"),
        ("webkb4", "ri", "Task2", "SMKC", "58.31 ± 1.19"),
        ("webkb4", "purity", "average", "stSC", "65.87 ± 0.07"),
        ("reuters", "nmi", "average", "uSC", "79.36 ± 0.18"),
        ("reuters", "purity", "Task2", "SMBC", "92.88 ± 0.38"),
        ("reuters", "ri", "Task3", "L2SC", "93.07 ± 0.51"),
        ("20newsgroups", "nmi", "Task1", "uSC", "4.35 ± 0.33"),
        ("20newsgroups", "purity", "Task4", "SMBC", "75.18 ± 4.77"),
        ("20newsgroups", "ri", "average", "L2SC", "81.12 ± 0.39"),
    ],
)
def test_cells_are_as_printed(stream, metric, task, method, text):
    assert published(stream).figure(metric, task, method).text == text


def test_seconds_are_as_printed():
    seconds = {stream: [figure.text for figure in published(stream).runtime.seconds] for stream in STREAMS}
    assert seconds["webkb4"][2] == "600.91 ± 26.60"
    assert seconds["reuters"][-1] == "1.32 ± 0.01"
    assert seconds["20newsgroups"][7] == "384.52 ± 19.55"


def test_exactly_17_averages_are_not_the_mean_of_their_rows():
    places = itertools.product(STREAMS, METRICS, METHODS)
    found = {place: wrong for place in places if (wrong := misprint(published(place[0]), *place[1:]))}
    assert set(found) == set(MISPRINTS)
    assert len(found) == 17
    for place, (printed, recomputed) in MISPRINTS.items():
        assert found[place].printed == printed
        assert found[place].recomputed == pytest.approx(recomputed, abs=0.0051)
    worst = max(found, key=lambda place: abs(found[place].printed - found[place].recomputed))
    assert worst == ("reuters", "nmi", "uSC")


def test_only_webkb4_has_the_papers_split():
    assert {stream: published(stream).same_data for stream in STREAMS} == {
        "webkb4": True, "reuters": False, "20newsgroups": False,
    }  # fmt: skip


@pytest.mark.parametrize("stream", STREAMS)
def test_every_method_can_be_run_and_its_weights_have_the_papers_58_values(stream):
    registry = plugin_host().registry
    for name, method in published(stream).methods.items():
        entry = parse_entry(method.entry)
        assert entry.name == name.lower()
        spec = registry.methods[entry.name]
        resolve_params(name, spec.params, entry.params)
        weights = {param.name for param in spec.params if "paper" in param.grids}
        assert set(method.grid) == weights
        assert all(len(param.grids["paper"]) == 58 for param in spec.params if param.name in weights)


def test_webkb4_is_run_with_counts_and_the_full_graph_in_ten_random_orders():
    reproduction = Reproduction(published("webkb4"), published("webkb4").protocol.repeats)
    plan = plan_experiment(reproduction.experiment())
    for method in ("stSC", "uSC", "L2SC"):
        runs = reproduction.runs_of(method, [planned.record for planned in plan])
        assert len({run.order for run in runs}) == 10
        assert {run.params["affinity"] for run in runs} == {"full"}
        assert {run.stream_params["weighting"] for run in runs} == {"counts"}
    assert {run.params["lam"] for run in reproduction.runs_of("L2SC", [p.record for p in plan])} == {100}


def test_the_closing_text_names_the_best_averages_of_the_paper():
    table = published("webkb4")
    for metric in METRICS:
        best = max(table.figures[metric][AVERAGE], key=lambda figure: figure.mean)
        assert f"{best.mean:.2f}" in table.closing

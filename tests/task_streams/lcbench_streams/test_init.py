from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from lcbench.api.loading import load_stream
from lcbench.registry.building import resolve
from lcbench.registry.host import plugin_host
from lcbench_streams import lcbench_register_streams

UNCLEAR = {
    **dict.fromkeys(("mnist10", "mnist-rot", "mnist-slide", "vowel"), "Unclear: "), "watch": "is not said",
}  # fmt: skip


def test_streams_of_real_data_are_listed_first():
    specs = []
    lcbench_register_streams(register=specs.append)
    names = [spec.name for spec in specs]
    assert names[:3] == ["webkb4", "reuters", "20newsgroups"]
    assert names[-3:] == ["digits", "topics", "webkb4-sim"]
    assert all((spec.data is None) == (spec.name in names[-3:]) for spec in specs)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("digits", {}),
        ("digits", {"classes": (0, 1), "tasks": 1, "per_class": 1}),
        ("digits", {"classes": tuple(range(10)), "tasks": 7, "per_class": 9}),
        ("digits", {"classes": (7, 1, 4), "per_class": 3}),
        ("topics", {}),
        ("topics", {"tasks": 1, "clusters": 1, "documents": 1, "words": 2, "length": 1}),
        ("topics", {"tasks": 6, "clusters": 7, "documents": 7, "words": 30}),
        ("webkb4-sim", {"seed": 2}),
    ],
)
def test_the_shapes_in_the_spec_are_those_of_the_tasks(name, params):
    spec, resolved = resolve(plugin_host().registry.streams, name, params)
    for said, labelled in zip(spec.shapes(resolved), load_stream(name, **params).tasks(), strict=True):
        assert (said.name, said.samples, said.features, said.clusters) == (
            labelled.name, labelled.task.n_samples, labelled.task.n_features, labelled.task.n_clusters,
        )  # fmt: skip
        sizes = np.bincount(labelled.y).tolist()
        if name == "digits":
            assert dict(said.classes) == dict(zip(labelled.classes, sizes, strict=True))
        if name == "webkb4-sim":
            assert dict(said.classes) == dict(zip(("course", "faculty", "project", "student"), sizes, strict=True))


def test_the_cards_of_simulated_streams_say_so():
    for name in ("topics", "webkb4-sim"):
        spec = plugin_host().registry.streams[name]
        assert "simulated" in spec.card.what.lower()
        assert any("simulated" in note.lower() for note in spec.card.notes)
        assert load_stream(name).card is spec.card
    assert "simulated" in plugin_host().registry.streams["webkb4-sim"].summary


@pytest.mark.parametrize("name", ["20ng-same", "reuters-12", *UNCLEAR])
def test_the_card_of_a_long_stream_says_what_it_is_for_how_it_was_cut_and_that_nothing_looks_ahead(name):
    spec = plugin_host().registry.streams[name]
    notes = spec.card.notes
    assert {"For: ", "Cut: "} <= {note[:5] for note in notes}
    assert any("No look-ahead" in note for note in notes)
    assert spec.looks_ahead_with({"idf": "held-out"}) is False


@pytest.mark.parametrize(("name", "terms"), UNCLEAR.items())
def test_what_is_unclear_about_the_terms_is_said_and_the_digest_pins_name_and_data(name, terms):
    spec = plugin_host().registry.streams[name]
    assert terms in spec.card.licence
    assert spec.digest == f"{name}-1-{spec.data.digest}"


def test_the_package_is_imported_without_numpy():
    code = "import sys, lcbench_streams; assert not {'numpy', 'sklearn', 'scipy'} & set(sys.modules), 'heavy'"
    subprocess.run([sys.executable, "-c", code], check=True)

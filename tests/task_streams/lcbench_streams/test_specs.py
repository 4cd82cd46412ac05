from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from lcbench.api.loading import load_stream
from lcbench.registry.building import resolve
from lcbench.registry.host import plugin_host


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("digits", {}),
        ("digits", {"classes": (0, 1), "tasks": 1, "per_class": 1}),
        ("digits", {"classes": tuple(range(10)), "tasks": 7, "per_class": 9}),
        ("topics", {}),
        ("topics", {"tasks": 1, "clusters": 1, "documents": 1, "words": 2, "length": 1}),
        ("topics", {"tasks": 6, "clusters": 7, "documents": 7, "words": 30}),
        ("webkb4-sim", {"seed": 2}),
    ],
)
def test_the_shapes_in_the_spec_are_those_of_the_tasks(name, params):
    spec, resolved = resolve(plugin_host().registry.streams, name, params)
    said = [(s.name, s.samples, s.features, s.clusters) for s in spec.shapes(resolved)]
    tasks = [labelled.task for labelled in load_stream(name, **params).tasks()]
    assert said == [(t.name, t.n_samples, t.n_features, t.n_clusters) for t in tasks]


@pytest.mark.parametrize("params", [{}, {"classes": (7, 1, 4), "per_class": 3}], ids=str)
def test_the_classes_in_the_spec_of_digits_are_those_of_the_images(params):
    spec, resolved = resolve(plugin_host().registry.streams, "digits", params)
    for shape, labelled in zip(spec.shapes(resolved), load_stream("digits", **params).tasks(), strict=True):
        assert dict(shape.classes) == dict(zip(labelled.classes, np.bincount(labelled.y), strict=True))


def test_the_class_sizes_in_the_spec_of_webkb4_sim_are_those_of_the_tasks():
    spec, resolved = resolve(plugin_host().registry.streams, "webkb4-sim", {})
    for shape, labelled in zip(spec.shapes(resolved), load_stream("webkb4-sim").tasks(), strict=True):
        assert [name for name, _ in shape.classes] == ["course", "faculty", "project", "student"]
        assert [count for _, count in shape.classes] == np.bincount(labelled.y).tolist()


def test_the_cards_of_simulated_streams_say_so():
    for name in ("topics", "webkb4-sim"):
        spec = plugin_host().registry.streams[name]
        assert "simulated" in spec.card.what.lower()
        assert any("simulated" in note.lower() for note in spec.card.notes)
        assert load_stream(name).card is spec.card
    assert "simulated" in plugin_host().registry.streams["webkb4-sim"].summary


@pytest.mark.parametrize("name", ["digits", "topics", "webkb4-sim"])
def test_the_defaults_in_the_spec_are_those_of_the_stream(name):
    """A stream built by its class alone is the one that the command line builds."""
    spec, defaults = resolve(plugin_host().registry.streams, name, {})
    stream, same = load_stream(name), type(load_stream(name))()
    assert vars(stream) == vars(same)
    assert stream.card is spec.card
    assert list(vars(stream).values()) == list(defaults.values())


def test_the_specs_are_imported_without_numpy():
    script = """
import json, sys
import lcbench_streams.specs
print(json.dumps([name for name in ("numpy", "scipy", "sklearn") if name in sys.modules]))
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(ended.stdout) == []

from __future__ import annotations

import base64

import numpy as np
import pytest
from sklearn.preprocessing import minmax_scale

from lcbench.api.loading import load_stream
from lcbench.data.sources.documents import Document
from lcbench.registry.building import resolve
from lcbench.registry.host import plugin_host
from lcbench_streams import watch
from lcbench_streams.watch_spec import EXERCISES, LENGTHS

TABLES = {
    f"{arm}/{exercise}": np.random.default_rng(length).normal(size=(length, 6))
    for arm, lengths in LENGTHS.items()
    for exercise, length in zip(EXERCISES, lengths, strict=True)
}


@pytest.fixture(autouse=True)
def _made_recordings(monkeypatch):
    """Recordings of the lengths of the real ones."""
    made = [Document(key, base64.b64encode(table.tobytes()).decode()) for key, table in TABLES.items()]
    monkeypatch.setattr(watch, "raw_documents", lambda name, raw: made)


@pytest.mark.parametrize("params", [{}, {"tasks": 2, "window": 250}])
def test_the_tasks_have_the_shapes_of_the_spec(params):
    spec, resolved = resolve(plugin_host().registry.streams, "watch", params)
    assert spec.shapes(resolved) == tuple(labelled.shape for labelled in load_stream("watch", **params).tasks())


def test_there_are_twenty_tasks_of_69_to_153_windows():
    sizes = [labelled.shape.samples for labelled in load_stream("watch").tasks()]
    assert (len(sizes), min(sizes), max(sizes)) == (20, 69, 153)


def test_rows_are_features_of_windows_that_do_not_overlap_scaled_within_the_task():
    labelled = load_stream("watch", tasks=1).tasks()[0]
    rows, classes = [], []
    for exercise in EXERCISES:
        table = TABLES[f"1/left/{exercise}"]
        for start in range(0, len(table) - 99, 100):
            part = table[start : start + 100]
            rows.append([*part.mean(0), *part.std(0), *part.min(0), *part.max(0), *np.square(part).mean(0)])
            classes.append(exercise)
    expected = {(name, *np.round(row, 9)) for name, row in zip(classes, minmax_scale(rows), strict=True)}
    found = {(labelled.classes[c], *np.round(row, 9)) for c, row in zip(labelled.y, labelled.task.X, strict=True)}
    assert found == expected

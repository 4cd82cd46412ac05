from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import minmax_scale

from lcbench.api.loading import load_stream
from lcbench.data.sources.documents import Document
from lcbench.registry.building import resolve
from lcbench.registry.host import plugin_host
from lcbench_streams import vowel

ROWS = {
    f"{speaker}/{number}": np.random.default_rng([speaker, number]).normal(speaker, 1, (6, 10)).round(3)
    for speaker in range(15)
    for number in range(11)
}


@pytest.fixture(autouse=True)
def _made_rows(monkeypatch):
    made = [Document(key, ",".join(f"{x:.3f}" for x in row)) for key, rows in ROWS.items() for row in rows]
    monkeypatch.setattr(vowel, "raw_documents", lambda name, raw: made)


@pytest.mark.parametrize("tasks", [15, 2])
def test_the_tasks_have_the_shapes_of_the_spec(tasks):
    spec, params = resolve(plugin_host().registry.streams, "vowel", {"tasks": tasks})
    assert spec.shapes(params) == tuple(labelled.shape for labelled in load_stream("vowel", tasks=tasks).tasks())


def test_a_task_has_the_rows_of_a_speaker_scaled_by_itself_and_mirrored():
    for speaker, labelled in enumerate(load_stream("vowel").tasks()):
        rows = np.vstack([ROWS[f"{speaker}/{number}"] for number in range(11)])
        scaled = minmax_scale(rows)
        classes = np.repeat(np.arange(11), 6)
        X = labelled.task.X
        np.testing.assert_allclose(X[:, 10:], 1 - X[:, :10])
        mine = {(int(labelled.classes[c]), *np.round(row, 9)) for c, row in zip(labelled.y, X[:, :10], strict=True)}
        assert mine == {(int(c), *np.round(row, 9)) for c, row in zip(classes, scaled, strict=True)}
        assert np.count_nonzero(np.diff(labelled.y)) > 33  # not sorted by class

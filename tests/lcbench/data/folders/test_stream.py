from __future__ import annotations

import logging
import pickle

import numpy as np
import pytest

import lcbench
from lcbench.data.folders.stream import FolderStream
from lcbench.errors import DataRefusedError, InvalidTaskError, ParameterError


def test_arrays_become_tasks(array_folder, groups):
    stream = lcbench.load_stream("./mine")
    assert isinstance(stream, FolderStream)
    assert (stream.name, stream.card.what) == ("mine", "your own data: 3 .npz files, one per task")
    for labelled, seed in zip(stream.tasks(), (1, 2, 10), strict=True):
        X, y = groups(seed)
        np.testing.assert_array_equal(labelled.task.X, X)
        np.testing.assert_array_equal(labelled.y, y)
        assert labelled.task.n_clusters == 3


def test_a_stream_can_be_built_by_hand(array_folder):
    stream = FolderStream(folder="mine", name="mine", clusters="5")
    assert [labelled.task.n_clusters for labelled in stream.tasks()] == [5, 5, 5]
    with pytest.raises(ParameterError, match="Stream 'mine' has no parameter 'label'"):
        FolderStream(folder="mine", name="mine", label="y").tasks()


def test_the_number_of_clusters_is_taken_from_the_parameter_then_stream_toml_then_the_classes(array_folder, write):
    write({"stream.toml": "".join(f'[[tasks]]\nfile = "task-{t}.npz"\n' for t in (1, 2)) + "clusters = 2"})

    def clusters(entry: str) -> list[int]:
        return [labelled.task.n_clusters for labelled in lcbench.load_stream(entry).tasks()]

    assert clusters("./mine") == [3, 2]
    assert clusters("./mine:clusters=4") == [4, 4]
    write({"stream.toml": "clusters = 5"})
    assert clusters("./mine") == [5, 5, 5]
    assert clusters("./mine:clusters=none") == [3, 3, 3]


def test_without_labels_the_error_shows_the_option_to_type(write):
    write({"a.npz": {"X": np.eye(3)}}, "my data")
    with pytest.raises(
        InvalidTaskError,
        match=r"^Stream './my data' has no labels, so say how many clusters to look for: "
        r"--stream './my data:clusters=4'$",
    ):
        lcbench.load_stream("./my data").tasks()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.full((3, 2), np.nan), "y": np.arange(3)}, "Task 'a' holds values that are NaN or infinite"),
        ({"X": np.eye(3), "y": np.arange(3), "feature_names": np.array(["u"])}, "Task 'a' names 1 features but has 3"),
    ],
)
def test_arrays_that_are_no_task_are_refused_with_their_file(write, arrays, message):
    write({"a.npz": arrays})
    with pytest.raises(InvalidTaskError, match=rf"^'\./mine/a\.npz' cannot be used: {message}"):
        lcbench.load_stream("./mine").tasks()


def test_files_that_change_after_the_run_was_planned_are_not_run_under_the_old_digest(array_folder):
    stream = lcbench.load_stream("./mine")
    (array_folder / "task-1.npz").write_bytes((array_folder / "task-2.npz").read_bytes())
    with pytest.raises(
        DataRefusedError, match=r"^The files of '\./mine' have changed since they were looked at: start again"
    ):
        stream.tasks()


def test_a_stream_pickles(array_folder):
    stream = pickle.loads(pickle.dumps(lcbench.load_stream("./mine")))
    assert len(stream.tasks()) == 3


def test_unused_files_are_listed_in_a_warning_five_at_most(write, caplog):
    write({"a.npz": {"X": np.eye(3), "y": np.arange(3)}, **{f"b{i}.csv.gz": "" for i in range(7)}})
    with caplog.at_level(logging.WARNING, "lcbench"):
        lcbench.load_stream("./mine").tasks()
    (message,) = caplog.messages
    assert message.startswith(
        "Stream './mine': not used: b0.csv.gz, b1.csv.gz, b2.csv.gz, b3.csv.gz, b4.csv.gz and 2 more. Tasks are .npz"
    )


def test_no_warning_about_unused_files_if_stream_toml_lists_the_tasks(write, caplog):
    write({"a.npz": {"X": np.eye(3), "y": np.arange(3)}, "b.csv.gz": "", "stream.toml": '[[tasks]]\nfile = "a.npz"'})
    with caplog.at_level(logging.WARNING, "lcbench"):
        lcbench.load_stream("./mine").tasks()
    assert caplog.messages == []

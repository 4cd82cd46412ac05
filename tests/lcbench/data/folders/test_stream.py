from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

import lcbench
from lcbench.data.folders.folder_spec import folder_spec
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


def test_one_task_is_a_stream(write, groups):
    write({"only.npz": {"X": groups()[0]}})
    (only,) = lcbench.load_stream("./mine:clusters=3").tasks()
    assert (only.name, only.y, only.task.n_clusters) == ("only", None, 3)


def test_clusters_come_from_the_command_line_then_the_task_then_the_classes(array_folder, write):
    write({"stream.toml": "".join(f'[[tasks]]\nfile = "task-{t}.npz"\n' for t in (1, 2)) + "clusters = 2"})

    def clusters(entry: str) -> list[int]:
        return [labelled.task.n_clusters for labelled in lcbench.load_stream(entry).tasks()]

    assert clusters("./mine") == [3, 2]
    assert clusters("./mine:clusters=4") == [4, 4]
    write({"stream.toml": "clusters = 5"})
    assert clusters("./mine") == [5, 5, 5]
    assert clusters("./mine:clusters=none") == [3, 3, 3]


def test_without_labels_the_way_on_is_shown_as_one_would_type_it(write):
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
        ({"X": np.eye(3), "y": np.arange(2)}, r"Task 'a' has 3 samples but labels of shape \(2,\)"),
        ({"X": np.eye(3), "y": np.array([0, 1, np.nan])}, "Task 'a' has classes that are missing"),
        ({"X": np.empty((0, 3)), "y": np.empty(0)}, "Task 'a' is empty: it has 0 samples and 3 features"),
        ({"X": np.eye(3), "y": np.arange(3), "feature_names": np.array(["u"])}, "Task 'a' names 1 features but has 3"),
    ],
)
def test_what_is_no_task_is_said_with_the_file(write, arrays, message):
    write({"a.npz": arrays})
    with pytest.raises(InvalidTaskError, match=rf"^'\./mine/a\.npz' cannot be used: {message}"):
        lcbench.load_stream("./mine").tasks()


def test_features_that_differ_are_refused(write):
    y = np.arange(3)
    write({"a.npz": {"X": np.eye(3), "y": y}, "b.npz": {"X": np.ones((3, 2)), "y": y}})
    with pytest.raises(InvalidTaskError, match="Stream 'mine': task 'b' has 2 features but 'a' has 3"):
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


def test_a_folder_runs_like_any_stream(array_folder):
    results = lcbench.run(["stsc"], "./mine:clusters=3", order="random", repeats=2)
    assert all(record.status == "ok" for record in results)
    assert {record.stream for record in results} == {"mine"}
    assert all(record.scores["purity"][-1] == [1.0, 1.0, 1.0] for record in results)
    assert next(iter(results)).stream_digest == folder_spec("./mine").digest


def test_sparse_and_dense_files_give_the_same_partitions(array_folder, write, groups):
    for seed in (1, 2, 10):
        X, y = groups(seed)
        matrix = sparse.csr_array(X)
        parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "shape": matrix.shape}
        write({f"task-{seed}.npz": {**parts, "y": y}}, "sparse")
    results = lcbench.run(["stsc"], ["./mine", "./sparse"])
    one, other = (record.scores["nmi"] for record in results)
    assert one == other


def test_texts_run(text_folder):
    results = lcbench.run(["kmeans"], "./mine:weighting=counts")
    assert all(record.status == "ok" for record in results)


def test_a_stream_without_labels_runs_on_internal_metrics(write, groups):
    write({f"{name}.npz": {"X": groups(seed)[0]} for seed, name in enumerate("ab")})
    (record,) = lcbench.run(["stsc"], "./mine:clusters=3")
    assert record.status == "ok"
    assert record.scores["silhouette"][1][1] > 0.9
    assert record.scores["purity"] == [[None, None], [None, None]]


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "lcbench", *arguments], capture_output=True, text=True, env=os.environ)


def test_the_command_line_runs_a_folder(write):
    rows = "".join(f"{c + i / 50},{1 - c},{'uv'[c]}\n" for i in range(10) for c in (0, 1))
    write({"a.csv": "x,z,topic\n" + rows, "b.csv": "x,z,topic\n" + rows})
    done = call("run", "--method", "kmeans", "--stream", "./mine:label=topic", "--json")
    assert done.returncode == 0, done.stderr
    (run,) = map(json.loads, done.stdout.splitlines())
    assert run["stream"] == "mine"
    assert run["stream_params"] == {"label": "topic", "clusters": None}
    assert run["scores"]["purity"][-1] == [1.0, 1.0]


def test_the_command_line_says_what_is_wrong_in_one_line(write):
    write({"a.csv": "x,topic\n1,u\n2,v\n"})
    for entry, message in (
        ("./mine", "'./mine/a.csv': row 1 (line 2), column 'topic' holds 'u', which is no number"),
        ("./mine:lable=topic", "Stream 'mine' has no parameter 'lable'. Did you mean 'label'?"),
        ("./mein", "There is no folder './mein'. Did you mean 'mine'?"),
    ):
        done = call("run", "--method", "kmeans", "--stream", entry)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1

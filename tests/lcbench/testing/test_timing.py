from __future__ import annotations

import json

import pytest
import sklearn.cluster
from making import make_stream
from small_methods import ByTurns

from lcbench.errors import LcbenchError, OutputError
from lcbench.testing import timing
from lcbench.testing.timing import Timed, learn_all, learn_by_scikit_learn, read_timed, timed

BENCHMARK = {
    "extra_info": {"stream": "digits", "method": "l2sc"},
    "stats": {"median": 0.25, "iqr": 0.02, "rounds": 5},
}


def test_a_new_method_learns_all_tasks_in_their_order():
    stream = make_stream()
    learned = []

    class Noting(ByTurns):
        def partial_fit(self, task):
            learned.append(task.name)
            return super().partial_fit(task)

    method = learn_all(Noting, stream.tasks())
    assert learned == [labelled.name for labelled in stream.tasks()]
    assert len(method.labels_) == stream.tasks()[-1].task.n_samples


@pytest.mark.filterwarnings("error")
def test_scikit_learn_clusters_each_task_alone(monkeypatch):
    asked = []

    class Noting(sklearn.cluster.SpectralClustering):
        def fit(self, X, y=None):
            asked.append((X.shape, self.n_clusters, self.n_neighbors))
            return super().fit(X)

    monkeypatch.setattr(sklearn.cluster, "SpectralClustering", Noting)
    stream = make_stream()
    learn_by_scikit_learn(stream.tasks())
    shapes = [(labelled.task.X.shape, labelled.task.n_clusters) for labelled in stream.tasks()]
    assert [(shape, k) for shape, k, _ in asked] == shapes
    assert [near for _, _, near in asked] == [min(10, shape[0] - 1) for shape, _ in shapes]


def test_timings_are_read_from_the_file_of_pytest_benchmark(tmp_path):
    file = tmp_path / "kept.json"
    file.write_text(json.dumps({"benchmarks": [BENCHMARK]}))
    assert read_timed(file) == [Timed("digits", "l2sc", 0.25, 0.01, 5)]


def test_a_process_that_comes_to_no_end_is_told_with_its_last_words(monkeypatch, tmp_path):
    monkeypatch.setattr(timing, "_pytest", lambda *_: iter(["one\n", "INTERNALERROR>  two\n"]))
    with pytest.raises(LcbenchError, match="came to no end; pytest said: one INTERNALERROR> two"):
        list(timed(["stsc"], ["digits"], rounds=1, kept=tmp_path / "kept.json"))


@pytest.mark.parametrize("place", ["missing/kept.json", "."])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_timed(monkeypatch, tmp_path, place):
    monkeypatch.setattr(timing, "_pytest", None)
    with pytest.raises(OutputError, match="cannot be written: name a file in a folder that is there"):
        list(timed(["l2sc"], ["digits"], rounds=1, kept=tmp_path / place))


def test_timings_are_told_also_where_their_file_could_not_be_kept(monkeypatch, tmp_path):
    def done(corner, file, asked):
        file.write_text(json.dumps({"benchmarks": [BENCHMARK]}))
        yield "timing l2sc on digits\n"

    monkeypatch.setattr(timing, "_pytest", done)
    wanted = ["timing l2sc on digits", Timed("digits", "l2sc", 0.25, 0.01, 5)]
    kept = tmp_path / "kept.json"
    assert list(timed(["l2sc"], ["digits"], rounds=1, kept=kept)) == wanted
    assert read_timed(kept) == wanted[1:]

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    found = timed(["l2sc"], ["digits"], rounds=1, kept=kept)
    assert [next(found), next(found)] == wanted
    with pytest.raises(OutputError, match=r"could not be written \(No space left on device\)"):
        next(found)

"""Tasks without labels: they run, on metrics that need none."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import silhouette_score

import lcbench
from lcbench.contract.stream import TaskStream, check_tasks, content_digest
from lcbench.contract.task import LabelledTask, Task
from lcbench.errors import InvalidTaskError
from lcbench.running.harness import replay

X = np.kron(np.eye(2), np.ones((6, 3))) + 0.1 * np.random.default_rng(0).random((12, 6))
Y = np.repeat(["red", "blue"], 6)


def unlabelled(name: str = "a", **kwargs) -> LabelledTask:
    return LabelledTask.from_arrays(name, X, None, clusters=2, **kwargs)


def mixed() -> TaskStream:
    return TaskStream.from_arrays("mixed", {"known": (X, Y), "unknown": (X + 1, None)}, clusters=2)


def silent() -> TaskStream:
    return TaskStream.from_arrays("silent", {"one": (X, None), "two": (X + 1, None)}, clusters=2)


def test_a_task_without_labels_has_no_classes():
    labelled = unlabelled()
    assert (labelled.y, labelled.classes, labelled.task.n_clusters) == (None, (), 2)
    assert LabelledTask(Task("a", X, 2), None, ("red", "blue")).classes == ()


def test_a_task_without_labels_needs_a_number_of_clusters():
    with pytest.raises(InvalidTaskError, match="Task 'a' has no labels: say how many clusters to look for"):
        LabelledTask.from_arrays("a", X, None)


def test_clusters_may_be_another_number_than_there_are_classes():
    labelled = LabelledTask.from_arrays("a", X, Y, clusters=3)
    assert (labelled.task.n_clusters, labelled.classes) == (3, ("blue", "red"))


@pytest.mark.parametrize("clusters", [0, -1, 2.5, True, "2", 13])
def test_an_impossible_number_of_clusters_is_refused(clusters):
    with pytest.raises(InvalidTaskError, match="Task 'a' asks for"):
        LabelledTask.from_arrays("a", X, None, clusters=clusters)


def test_a_task_without_labels_pickles():
    again = pickle.loads(pickle.dumps(unlabelled()))
    assert (again.y, again.classes, again.name) == (None, (), "a")
    np.testing.assert_array_equal(again.task.X, X)


def test_the_names_of_classes_survive_pickling():
    again = pickle.loads(pickle.dumps(LabelledTask.from_arrays("a", X, Y)))
    assert again.classes == ("blue", "red")
    assert [again.classes[code] for code in again.y] == Y.tolist()


def test_the_names_given_for_codes_are_kept():
    assert LabelledTask(Task("a", X, 2), np.repeat([0, 1], 6), ("rot", "blau")).classes == ("rot", "blau")


def test_a_stream_of_arrays_takes_clusters_for_all_tasks_or_by_name():
    tasks = {"one": (X, None), "two": (X, None)}
    for clusters, found in ((3, [3, 3]), ({"one": 2, "two": 4}, [2, 4])):
        stream = TaskStream.from_arrays("mine", tasks, clusters=clusters)
        assert [t.task.n_clusters for t in stream.tasks()] == found


def test_a_stream_of_arrays_without_labels_and_clusters_is_refused_with_the_task_named():
    with pytest.raises(InvalidTaskError, match="Task 'two' has no labels"):
        TaskStream.from_arrays("mine", {"one": (X, None), "two": (X, None)}, clusters={"one": 2})


def test_clusters_of_an_unknown_task_are_refused():
    with pytest.raises(InvalidTaskError, match="'tow'"):
        TaskStream.from_arrays("mine", {"one": (X, Y), "two": (X, Y)}, clusters={"tow": 3})


def test_the_digest_differs_with_and_without_labels():
    digests = {content_digest([task]) for task in (unlabelled(), LabelledTask.from_arrays("a", X, Y))}
    assert len(digests) == 2


NAMES = tuple("abcdef")


def named(name: str, names: tuple[str, ...] | None) -> LabelledTask:
    return LabelledTask.from_arrays(name, X[:, : 6 if names is None else len(names)], Y, names)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (tuple("abcdeg"), r"'two' lacks 'f'; 'one' lacks 'g'\."),
        (tuple("abcde"), r"task 'two' has 5 features but 'one' has 6; .* 'two' lacks 'f'\."),
        (tuple("abcdfe"), "They come in another order: number 5 is 'e' in one and 'f' in the other"),
        (tuple("uvwxyz"), r"'two' lacks 'a', 'b', 'c', 'd', 'e' and 1 more; 'one' lacks 'u', 'v', 'w', 'x', 'y' and 1"),
    ],
)
def test_tasks_whose_features_differ_are_refused_with_the_difference_named(names, said):
    with pytest.raises(InvalidTaskError, match=said):
        check_tasks("mine", [named("one", NAMES), named("two", names)])


def test_features_without_names_are_compared_by_number_only():
    check_tasks("mine", [named("one", NAMES), named("two", None), named("three", NAMES)])


def test_two_named_tasks_are_compared_though_the_first_task_has_no_names():
    with pytest.raises(InvalidTaskError, match="another order"):
        check_tasks("mine", [named("one", None), named("two", NAMES), named("three", NAMES[::-1])])


def test_external_metrics_are_null_and_internal_ones_are_computed_without_labels():
    metrics = {name: lcbench.load_metric(name) for name in ("purity", "nmi", "silhouette")}
    steps = list(replay(lcbench.load_method("kmeans"), mixed().tasks(), metrics))
    final = steps[-1].scores
    assert final["purity"][0] == 1.0
    assert final["purity"][1] is None
    assert final["nmi"][1] is None
    for j, task in enumerate(mixed().tasks()):
        expected = silhouette_score(task.task.X, steps[-1].labels[task.name])
        assert final["silhouette"][j] == pytest.approx(expected, abs=1e-6)


def test_a_sparse_task_without_labels_runs_as_well():
    stream = TaskStream.from_arrays("sparse", {"one": (sparse.csr_array(X), None)}, clusters=2)
    (run,) = lcbench.run("kmeans", stream)
    assert run.status == "ok"
    assert run.scores["silhouette"][0][0] is not None


@pytest.mark.parametrize(
    ("streams", "metrics"),
    [
        (["digits"], ["purity", "nmi", "ri"]),
        ([silent()], ["silhouette"]),
        ([mixed()], ["purity", "nmi", "ri", "silhouette"]),
        (["digits", silent()], ["purity", "nmi", "ri", "silhouette"]),
    ],
)
def test_what_is_shown_by_default_depends_on_what_the_streams_have(streams, metrics):
    results = lcbench.run("kmeans", streams)
    assert results.metrics == metrics
    assert all(run.status == "ok" for run in results)


def test_a_record_of_a_stream_without_labels_has_nulls_and_figures_of_internal_metrics():
    (run,) = lcbench.run("kmeans", silent())
    record = run.to_json()
    assert record["scores"]["purity"] == [[None, None], [None, None]]
    assert record["summary"]["purity"]["average_after_all"]["value"] is None
    assert record["summary"]["silhouette"]["average_after_all"]["value"] > 0.5


def test_asking_for_a_metric_that_needs_labels_warns_and_runs(caplog):
    results = lcbench.run("kmeans", silent(), metrics=["purity", "silhouette"])
    assert "Stream 'silent' has no labels: purity cannot be computed." in caplog.text
    assert results.runs[0].scores["silhouette"][1][1] is not None


def test_metrics_that_need_no_labels_cost_no_warning(caplog):
    lcbench.run("kmeans", silent(), metrics="silhouette")
    assert "has no labels" not in caplog.text


def test_a_task_without_labels_among_others_is_named(caplog):
    (run,) = lcbench.run("kmeans", mixed(), metrics="purity")
    assert "Stream 'mixed' has no labels for unknown: purity cannot be computed there" in caplog.text
    assert [row[run.order.index("known")] is not None for row in run.scores["purity"]] == [True, True]
    assert run.summary["purity"]["average_after_all"]["value"] is None


def test_rows_that_come_sorted_by_class_cost_a_warning_and_others_none(caplog):
    y = np.repeat([0, 1], 10)
    lcbench.run("kmeans", TaskStream.from_arrays("sorted", {"one": (np.eye(20), y)}))
    assert "the rows of task 'one' are sorted by class" in caplog.text
    caplog.clear()
    lcbench.run("kmeans", TaskStream.from_arrays("mixed-up", {"one": (np.eye(20), np.arange(20) % 2)}))
    assert "sorted by class" not in caplog.text


def test_every_method_runs_without_labels():
    results = lcbench.run(["l2sc:k=2", "stsc", "usc", "random", "one-cluster"], silent())
    assert {run.label: run.error for run in results if run.status != "ok"} == {}

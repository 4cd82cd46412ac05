"""A run has the labels of its seed and repeat, whatever else runs beside it."""

from __future__ import annotations

import numpy as np
import pytest
from plans import run, run_in_processes
from small_methods import ByTurns, Seeded

from lcbench import Task, hookimpl
from lcbench.running.executor import InProcess


class Dice(ByTurns):
    """Draws its labels from numpy's global generator."""

    def predict(self, task: Task) -> np.ndarray:
        return np.random.randint(task.n_clusters, size=task.n_samples)  # noqa: NPY002


class Gambler:
    """A listener that draws from the global generator between the steps."""

    @hookimpl
    def lcbench_task_learned(self) -> None:
        np.random.rand()  # noqa: NPY002


def digests(outcome) -> dict[str, str | None]:
    """The digests of the labels of each method on the small stream."""
    found = [(run.label, run.labels_digest) for run in outcome if run.stream == "blobs"]
    assert len(dict(found)) == len(found)
    return dict(found)


@pytest.mark.parametrize(
    ("executor", "methods", "companies"),
    [(None, ["l2sc", "random", Dice()], 1), (InProcess(), ["l2sc", "kmeans", "random", Seeded(), Dice()], 2)],
    ids=["processes", "one process"],
)
def test_the_same_seed_gives_the_same_labels_whatever_else_is_in_the_run(blob_stream, executor, methods, companies):
    alone = {}
    for method in methods:
        alone |= digests(run_in_processes([method], blob_stream, baselines=False, solo=False, executor=executor))
    assert len(alone) == len(methods)
    others = ["kmeans:n_init=1", "one-cluster"]
    every = [*reversed(methods), *others], ["l2sc:lam=3", *methods[1:], "l2sc"]
    for company in every[:companies]:
        together = run_in_processes(company, ["digits:tasks=2,per_class=4", blob_stream], solo=False, executor=executor)
        assert digests(together).items() >= alone.items()


@pytest.mark.parametrize("method", ["random", Seeded(), Dice()], ids=str)
def test_another_seed_and_another_repeat_give_other_labels(blob_stream, method):
    runs = [*run(method, blob_stream, seed=0, repeats=2), *run(method, blob_stream, seed=1)]
    assert len({run.labels_digest for run in runs}) == 3
    assert len({run.run_id for run in runs}) == 3


def test_a_method_that_draws_from_the_global_generator_repeats_and_leaves_it_as_it_was(blob_stream):
    np.random.seed(1)  # noqa: NPY002
    expected = np.random.random(2)  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    first = np.random.random()  # noqa: NPY002
    one = digests(run(Dice(), blob_stream))
    second = np.random.random()  # noqa: NPY002
    assert one == digests(run(Dice(), blob_stream, [Gambler()]))
    assert [first, second] == expected.tolist()


def test_how_often_a_run_is_scored_does_not_change_what_a_method_draws_from_the_global_generator(blob_stream):
    labels = [run(Dice(), blob_stream, evaluate=text).runs[0].labels[2]["task-3"] for text in ("all", "last")]
    assert (labels[0] == labels[1]).all()


def test_the_seed_of_a_method_does_not_depend_on_its_parameters(blob_stream):
    three, four = run([Seeded(sides=3), Seeded(sides=4)], blob_stream)
    (same,) = run(Seeded(sides=4, random_state=99), blob_stream)
    assert four.labels_digest == same.labels_digest
    assert three.labels_digest != four.labels_digest

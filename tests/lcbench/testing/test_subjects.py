from __future__ import annotations

import numpy as np
import pytest
from lcbench_broken.metrics import Sound as SoundMetric
from lcbench_broken.sound import Sound
from lcbench_broken.streams import Sound as SoundStream

import lcbench
from lcbench.errors import ParameterError
from lcbench.testing.subjects import learning, subjects_of


@pytest.mark.parametrize(
    ("given", "kind", "label"),
    [
        ("l2sc:lam=10", "method", "l2sc:lam=10"),
        (Sound(share=0.2), "method", "Sound(share=0.2)"),
        (Sound, "method", "Sound()"),
        ("digits:tasks=2", "stream", "digits:tasks=2"),
        (SoundStream, "stream", "sound-stream"),
        ("nmi:average=geometric", "metric", "nmi:average=geometric"),
        (SoundMetric(), "metric", "Sound"),
    ],
)
def test_names_instances_and_classes_are_subjects(given, kind, label):
    (subject,) = subjects_of(given)
    assert (subject.kind, str(subject)) == (kind, label)
    assert (subject.spec is not None) == isinstance(given, str)


def test_parameters_of_a_name_are_used():
    (method,), (stream,) = subjects_of("l2sc:lam=10"), subjects_of("digits:tasks=2")
    assert method.fresh().lam == 10
    assert len(stream.tasks) == 2
    assert len(stream.with_params(tasks=1).tasks) == 1


def test_a_folder_is_a_stream(tmp_path):
    for name in ("a", "b"):
        np.savez(tmp_path / f"{name}.npz", X=np.eye(4), y=[0, 0, 1, 1])
    (subject,) = subjects_of(f"{tmp_path}/")
    assert [task.name for task in subject.tasks] == ["a", "b"]


def test_anything_else_is_refused():
    with pytest.raises(ParameterError, match=r"^3 is no method, stream or metric: give a name, an instance or a class"):
        subjects_of(3)


def test_fresh_copies_have_learned_nothing_and_the_seed_of_a_run():
    (subject,) = subjects_of(Sound(random_state=7))
    task = lcbench.load_stream("digits").tasks()[0].task
    learned, accepted = subject.learned([task])
    assert accepted == [task]
    assert learned.names_ == (task.name,)
    assert not hasattr(subject.fresh(), "names_")
    assert subject.fresh().random_state == 0


def test_refused_tasks_are_passed_over_and_old_labels_do_not_pass_for_new_ones():
    class Lazy(Sound):
        def partial_fit(self, task):
            if task.name == "task-2":
                raise lcbench.UnsuitableTaskError("no")
            return super().partial_fit(task) if task.name == "task-1" else self

    method, seen = Lazy(), []
    for task, returned in learning(method, [labelled.task for labelled in lcbench.load_stream("digits").tasks()]):
        assert returned is method
        seen.append((task.name, hasattr(method, "labels_")))
    assert seen == [("task-1", True), ("task-3", False), ("task-4", False)]

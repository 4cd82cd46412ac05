from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from lcbench.api.loading import load_stream
from lcbench.errors import ParameterError
from lcbench_streams.digits import Digits

IMAGES, TARGETS = load_digits(return_X_y=True)
INDEX = {image.tobytes(): i for i, image in enumerate(IMAGES)}


def indices(labelled) -> list[int]:
    """The positions of a task's images in scikit-learn's data set."""
    return [INDEX[image.tobytes()] for image in labelled.task.X]


def test_every_image_of_the_data_set_is_unique_so_that_its_position_can_be_found():
    assert len(INDEX) == len(IMAGES)


@pytest.mark.parametrize("seed", [0, 1])
def test_no_image_is_in_two_tasks_or_twice_in_one(seed):
    used = [i for task in Digits(seed=seed).tasks() for i in indices(task)]
    assert len(used) == len(set(used)) == 4 * 80


def test_classes_are_those_of_the_images_and_equally_frequent():
    for task in Digits(classes=(7, 1, 4), tasks=3, per_class=15).tasks():
        digits = TARGETS[indices(task)]
        assert dict(zip(*np.unique(digits, return_counts=True), strict=True)) == {1: 15, 4: 15, 7: 15}
        assert np.array_equal(task.y, np.searchsorted([1, 4, 7], digits))


def test_the_same_seed_gives_the_same_stream_and_another_seed_another():
    first, again, other = (Digits(seed=seed).tasks() for seed in (5, 5, 6))
    assert [indices(task) for task in first] == [indices(task) for task in again]
    assert all(indices(a) != indices(b) for a, b in zip(first, other, strict=True))


def test_all_images_of_a_digit_can_be_used_and_not_one_more():
    least = int(np.bincount(TARGETS).min())  # of digit 8
    (task,) = Digits(classes=(8,), tasks=1, per_class=least).tasks()
    assert sorted(indices(task)) == np.flatnonzero(TARGETS == 8).tolist()
    with pytest.raises(ParameterError, match=f"there are {least} of digit 8"):
        Digits(classes=(8,), tasks=1, per_class=least + 1).tasks()


@pytest.mark.parametrize("classes", [(3, 3), (3, 10), (-1, 2)], ids=["twice", "too large", "negative"])
def test_classes_that_are_not_different_digits_are_refused(classes):
    with pytest.raises(ParameterError, match="different digits from 0 to 9"):
        Digits(classes=classes).tasks()


@pytest.mark.parametrize("params", ["tasks=0", "per_class=0", "seed=-1", "classes=", "classes=three", "images=5"])
def test_an_invalid_parameter_is_refused_with_its_name(params):
    with pytest.raises(ParameterError, match=params.partition("=")[0]):
        load_stream(f"digits:{params}")

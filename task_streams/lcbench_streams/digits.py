"""The stream `digits`: scikit-learn's handwritten digits in disjoint tasks."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from lcbench import FloatArray, IntArray, LabelledTask, ParameterError, TaskStream
from lcbench_streams import DIGITS, digits_shapes


class Digits(TaskStream):
    """Tasks of `per_class` images of each of `classes`; no image is in two tasks."""

    name = "digits"
    card = DIGITS.card

    def __init__(
        self, *, classes: tuple[int, ...] = (3, 5, 8, 9), tasks: int = 4, per_class: int = 20, seed: int = 0
    ) -> None:
        self.classes = classes
        self.n_tasks = tasks
        self.per_class = per_class
        self.seed = seed

    def tasks(self) -> tuple[LabelledTask, ...]:
        """The images of every class, shuffled by the seed and dealt out."""
        images, digits = _images()
        if len(set(self.classes)) != len(self.classes) or not set(self.classes) <= set(range(10)):
            raise ParameterError(f"Stream 'digits': classes takes different digits from 0 to 9, not {self.classes}.")
        generator = np.random.default_rng(self.seed)
        dealt = {digit: self._deal(generator, np.flatnonzero(digits == digit), digit) for digit in self.classes}
        shapes = digits_shapes({"classes": self.classes, "tasks": self.n_tasks, "per_class": self.per_class})
        tasks = []
        for t, name in enumerate(shape.name for shape in shapes):
            chosen = np.sort(np.concatenate([dealt[digit][t] for digit in self.classes]))
            tasks.append(LabelledTask.from_arrays(name, images[chosen], digits[chosen]))
        return tuple(tasks)

    def _deal(self, generator: np.random.Generator, members: IntArray, digit: int) -> IntArray:
        """The images of one digit, shuffled, a row per task."""
        needed = self.n_tasks * self.per_class
        if needed > len(members):
            raise ParameterError(
                f"Stream 'digits': {self.n_tasks} tasks of {self.per_class} images per class need {needed} images "
                f"of each digit, but there are {len(members)} of digit {digit}: lower tasks or per_class."
            )
        return generator.permutation(members)[:needed].reshape(self.n_tasks, self.per_class)


def _images() -> tuple[FloatArray, IntArray]:
    """The images and digits that scikit-learn ships, read from its file: importing scikit-learn takes a second."""
    found = find_spec("sklearn")
    assert found is not None
    file = Path(next(iter(found.submodule_search_locations or ())), "datasets", "data", "digits.csv.gz")
    if not file.exists():  # another version may keep it elsewhere
        from sklearn.datasets import load_digits

        images, digits = load_digits(return_X_y=True)
        return images, digits
    table = np.loadtxt(file, delimiter=",")
    return table[:, :-1], table[:, -1].astype(np.int64)

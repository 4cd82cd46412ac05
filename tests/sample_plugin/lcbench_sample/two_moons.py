"""A stream."""

from sklearn.datasets import make_moons

from lcbench import LabelledTask, TaskStream


class TwoMoons(TaskStream):
    """Moons with growing noise."""

    name = "two-moons"

    def tasks(self):
        return tuple(
            LabelledTask.from_arrays(f"moons-{t}", *make_moons(60, noise=0.05 * t, random_state=t)) for t in (1, 2, 3)
        )

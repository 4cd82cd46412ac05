"""A broken stream for each check of streams; `FAILS` has the checks that it fails and no others."""

import os

import numpy as np

from lcbench import LabelledTask, Param, StreamSpec, TaskShape, TaskStream

FAILS = {}


class Sound(TaskStream):
    """Small tasks of blobs; each is made by itself."""

    name = "sound-stream"

    def __init__(self, *, tasks=3):
        self.n_tasks = tasks

    def tasks(self):
        return tuple(self.task(number) for number in range(self.n_tasks))

    def task(self, number):
        y = np.arange(12) % 3
        X = np.eye(3, 6)[y] + 0.1 * np.random.default_rng(number).random((12, 6))
        return LabelledTask.from_arrays(f"task-{number + 1}", X, y)


def shapes(params):
    return tuple(TaskShape(f"task-{t + 1}", 12, 6, 3) for t in range(params["tasks"]))


SPEC = {
    "tasks": shapes, "params": (Param("tasks", int, 3, "number of tasks", minimum=1),), "looks_ahead": False,
    "digest": "content:8bff78d8d1a2b6dfb1bdbc3af4fba4cbc4dcb0f2d9bc4ee0e8b0f9ef0a7bd0a6",
}  # fmt: skip


def fails(*checks, **changed):
    def mark(broken):
        spec = StreamSpec(**{**SPEC, **changed, "name": "broken-stream", "factory": f"{__name__}:{broken.__name__}"})
        FAILS[spec] = set(checks)
        return broken

    return mark


OTHER_CONTENT = "broken-1"  # names a revision: its data are not compared with it


@fails("check_tasks_are_valid", "check_shapes", digest=OTHER_CONTENT)
class HasTasksOfOtherFeatures(Sound):
    def task(self, number):
        one = super().task(number)
        return LabelledTask.from_arrays(one.name, one.task.X[:, number:], one.y)


@fails("check_tasks_are_valid", "check_shapes", "check_reproducible", "check_digest", "check_look_ahead")
class BareArrays(Sound):
    def task(self, number):
        return super().task(number).task.X


@fails("check_stream_spec", digest=OTHER_CONTENT)
class HasAnotherDefault(Sound):
    def __init__(self, *, tasks=4):
        super().__init__(tasks=tasks)


@fails("check_shapes", digest=OTHER_CONTENT)
class MakesMoreSamples(Sound):
    def task(self, number):
        one = super().task(number)
        return LabelledTask.from_arrays(one.name, np.vstack([one.task.X] * 2), np.tile(one.y, 2))


@fails("check_shapes", digest=OTHER_CONTENT)
class CallsItsTasksDifferently(Sound):
    def task(self, number):
        one = super().task(number)
        return LabelledTask.from_arrays(f"year-{number}", one.task.X, one.y)


@fails("check_reproducible", "check_look_ahead", digest=OTHER_CONTENT)
class DrawsFromTheGlobalGenerator(Sound):
    def task(self, number):
        one = super().task(number)
        return LabelledTask.from_arrays(one.name, one.task.X + np.random.random(), one.y)  # noqa: NPY002


@fails("check_reproducible", digest=OTHER_CONTENT)
class KnowsItsProcess(Sound):
    def task(self, number):
        one = super().task(number)
        return LabelledTask.from_arrays(one.name, one.task.X + os.getpid(), one.y)


@fails("check_digest", digest="")
class HasNoDigest(Sound):
    pass


@fails("check_digest")
class HasOtherDataThanItsDigest(Sound):
    def task(self, number):
        one = super().task(number)
        return LabelledTask.from_arrays(one.name, one.task.X + 1, one.y)


@fails("check_look_ahead", digest=OTHER_CONTENT)
class SubtractsTheMeanOfAllTasks(Sound):
    def tasks(self):
        made = super().tasks()
        mean = np.mean([one.task.X.mean(axis=0) for one in made], axis=0)
        return tuple(LabelledTask.from_arrays(one.name, one.task.X - mean, one.y) for one in made)


@fails(digest=OTHER_CONTENT, looks_ahead=True)
class SubtractsTheMeanOfAllTasksAndSaysSo(SubtractsTheMeanOfAllTasks):
    pass

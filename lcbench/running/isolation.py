"""The audit `isolate`: learns each task in a fresh process, from the pickled state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from lcbench.audit.label_check import NotImportableError, StepError, first_difference
from lcbench.contract.clusterer import Clusterer
from lcbench.contract.specs import Setting
from lcbench.contract.task import IntArray, LabelledTask, Task
from lcbench.records.record import RunRecord
from lcbench.running.harness import pickled_state
from lcbench.running.randomness import GlobalGenerators, generator_states, set_generator_states
from lcbench.running.step_processes import step_processes


class Isolated(Clusterer):
    """Stands in for a method: holds its pickled state only, and has fresh processes learn and predict with it.

    Each task learned and each prediction gets a process of its own, which is sent the state, the states of the global
    random generators and that task.
    """

    setting: ClassVar[Setting] = Setting.LIFELONG

    def __init__(self, *, state: bytes, threads: int, predicts_unseen: bool) -> None:
        self.state = state
        self.threads = threads
        self.__dict__["predicts_unseen"] = predicts_unseen

    @classmethod
    def of(cls, method: Clusterer, threads: int) -> Isolated:
        """Wrap a method that has learned nothing yet, to be run by `replay`."""
        return cls(state=pickled_state(method), threads=threads, predicts_unseen=bool(method.predicts_unseen))

    def partial_fit(self, task: Task) -> Self:
        """Have a fresh process learn the task, and go on with the state it returns."""
        try:
            self.state, self.labels_ = self._ask("learn", task)
        except NotImportableError as error:
            if "learned" in vars(self):  # the method could be rebuilt before, so its new state is at fault
                raise StepError(f"its state could not be unpickled: {error}") from None
            raise
        self.learned = True
        return self

    def predict(self, task: Task) -> IntArray:
        """Have a fresh process predict the task."""
        labels: IntArray = self._ask("predict", task)
        return labels

    def _ask(self, what: str, task: Task) -> Any:
        result, generators = step_processes(self.threads).ask(what, self.state, generator_states(), task)
        set_generator_states(generators)
        return result


def repeats(
    method: Clusterer, generators: GlobalGenerators, tasks: Sequence[LabelledTask], record: RunRecord
) -> bool | None:
    """True if the ordinary run, repeated in a process of its own, gives the labels of `record`; None if that fails.

    If False, the method gives other labels in every run, so that labels which differ in an audit prove nothing.
    """
    unlabelled = [LabelledTask(labelled.task, None) for labelled in tasks]
    with generators:
        start = generator_states()
    try:
        found, _ = step_processes(record.threads).ask(
            "run", pickled_state(method), start, unlabelled, record.evaluate, record.future
        )
    except StepError:
        return None
    return all(first_difference(*labels) is None for labels in zip(found, record.labels, strict=True))

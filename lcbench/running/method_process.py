"""The main program of a method's process: builds the method and learns the tasks.

It is told the factory, the parameters and the seed. It holds no true classes and no metric, asks for each task when it
is due, and sends back labels, times and sizes.
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from lcbench.errors import ContractError
from lcbench.running.faults import facts_of
from lcbench.running.settings import receive_job
from lcbench.running.wire import Wire, WireError

if TYPE_CHECKING:
    from lcbench.contract.clusterer import Clusterer
    from lcbench.contract.task import IntArray, Task
    from lcbench.running.steps import Learned


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """The work of a method's process; lcbench pickles it for the process, nothing comes back that way.

    `what` is `run` for all tasks; for the audit `isolate` it is `learn` or `predict` for one, from the `state` that the
    process before it returned, with the states of the global `generators` after the prediction before it, if any.
    """

    what: str
    make: bytes
    seed: int
    threads: int
    total: int
    evaluate: str
    future: bool
    poison: bool = False
    state: bytes | None = None
    generators: bytes | None = None
    task: int = 0


def main(wire: Wire) -> None:
    """Do the job that comes first over the wire."""
    content = receive_job(wire)
    try:
        _Run(wire, pickle.loads(content)).do()
    except WireError:
        raise
    except BaseException as error:  # also a KeyboardInterrupt that the method itself raises
        wire.send({"say": "failed", **facts_of(error)})


class _Run:
    """The method, the tasks that are here, and the wire."""

    def __init__(self, wire: Wire, job: Job) -> None:
        self._wire = wire
        self._job = job
        self._here: dict[int, Task] = {}

    def do(self) -> None:
        """Learn all tasks, or do one step of an audit."""
        if self._job.what == "run":
            self._learn_all()
        else:
            self._one_step()

    def _task(self, i: int) -> Task:
        """The i-th task; asks for it when it is needed first."""
        if i not in self._here:
            from lcbench.running.parcels import unpacked

            self._wire.send({"say": "want", "task": i})
            described, _, (parcel,) = self._wire.receive()
            self._here[i] = unpacked(described, parcel).task
        return self._here[i]

    def _learn_all(self) -> None:
        from lcbench.audit.memory import Memory
        from lcbench.audit.poison import poisoned
        from lcbench.running.harness import learning
        from lcbench.running.randomness import seed_generators
        from lcbench.running.threads import ThreadLimit

        job = self._job
        seed_generators(job.seed)
        method, seconds = build(pickle.loads(job.make), job.seed)
        limit = ThreadLimit(job.threads)  # after the method, which may have loaded libraries of its own
        memory = None if job.poison else Memory(method)
        more = {"hand_over": poisoned} if job.poison else {}
        steps = learning(
            method, job.total, self._task, evaluate=job.evaluate, future=job.future, committed=self._commit, **more
        )
        for i in range(job.total):
            with limit:
                step = next(steps)
            if memory is not None:
                memory.after_step(method, self._here[i])
            self._send_step(step, seconds if i == 0 else 0.0)
        self._wire.send({"say": "finished", "measure": None if memory is None else memory.result})

    def _commit(self, labels: IntArray) -> None:
        """Send the labels of the task just learned: only then other tasks are handed over."""
        self._wire.send({"say": "learned"}, _raw(labels))

    def _send_step(self, step: Learned, building: float) -> None:
        numbers = {task.name: i for i, task in self._here.items()}
        others = {name: labels for name, labels in step.labels.items() if name != step.task}
        self._wire.send(
            {
                "say": "step",
                "tasks": [numbers[name] for name in others],
                "learn_seconds": step.learn_seconds + building,
                "predict_seconds": step.predict_seconds,
                "pickle_seconds": step.pickle_seconds,
                "state_bytes": step.state_bytes,
                "objective_trace": step.objective_trace,
            },
            _raw(*others.values()),
        )

    def _one_step(self) -> None:
        """Learn or predict one task, and send its labels; after learning, also the state for the next process."""
        from lcbench.running.harness import checked_labels, learn, pickled_state
        from lcbench.running.randomness import generator_states, seed_generators, set_generator_states
        from lcbench.running.threads import ThreadLimit

        job = self._job
        if job.state is None:
            seed_generators(job.seed)
            method, _ = build(pickle.loads(job.make), job.seed)
        else:
            try:
                method, states = pickle.loads(job.state)
            except Exception as error:
                raise ContractError(f"its state could not be unpickled: {type(error).__name__}: {error}") from error
            set_generator_states(states if job.generators is None else pickle.loads(job.generators))
        task = self._task(job.task)
        with ThreadLimit(job.threads):
            if job.what == "predict":
                labels = checked_labels(method, task, method.predict(task), "predict")
                state = pickle.dumps(generator_states())
            else:
                labels, _, _ = learn(method, task)
                state = pickle.dumps((method, generator_states()), protocol=pickle.HIGHEST_PROTOCOL)
                pickled_state(method)  # says so in words if it cannot be pickled
        self._wire.send({"say": "labels", "unseen": bool(method.predicts_unseen)}, _raw(labels))
        self._wire.send({"say": "state"}, state)


def build(make: Callable[[], Clusterer], seed: int) -> tuple[Clusterer, float]:
    """A fresh, seeded method, and the seconds it took to build it; importing its module does not count."""
    from lcbench.registry.building import load_factory

    with contextlib.suppress(Exception):  # what is wrong with the factory is said when it is called
        load_factory(getattr(make, "args", ("",))[0])
    start = perf_counter()
    method = make()
    if "random_state" in method.get_params(deep=False):
        method.set_params(random_state=seed)
    return method, perf_counter() - start


def _raw(*labels: IntArray) -> bytes:
    return b"".join(each.astype("<i8").tobytes() for each in labels)

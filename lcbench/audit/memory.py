"""The audit `measure`: the memory a method holds and the old tasks it still reaches."""

from __future__ import annotations

import gc
import logging
import pickle
import time
from collections.abc import Sequence
from typing import Any

from lcbench.audit.memory_ranges import MemoryRange, TaskMap, covered
from lcbench.audit.method_packages import packages_of
from lcbench.audit.search import Search
from lcbench.contract.clusterer import OUTPUTS, Clusterer
from lcbench.contract.task import Task, parts_of

logger = logging.getLogger(__name__)
LITTLE = 65_536  # bytes: modules that hold fewer, and no array, hold no data


class Memory:
    """Measures what a method holds. `result` is stored in the record, and grows with each step.

    `held_bytes` after each step is the memory of arrays and other data that can be reached from the method, beyond what
    it held before the first task. The arrays of the task just learned do not count, nor do its labels and objectives.
    `reachable` is the number of tasks learned so far, the last one included, whose own arrays can be reached.
    """

    def __init__(self, method: Clusterer, known: Sequence[Task] = ()) -> None:
        """Look at a method before its first task. `known` are tasks that are in this process already, in order."""
        start = time.perf_counter()
        self._known = known
        self._tasks: list[Task] = []
        self._names: dict[int, Any] = {}  # tuples of feature names, which are no data, by their id
        self._note_names(known)
        self._map = TaskMap()
        self._modules: dict[int, Any] = {}
        self._bulk_before = 0
        self._ranges_before: list[MemoryRange] = []
        self._exempt: set[int] = set()
        self.result: dict[str, Any] = {
            "task_bytes": [],
            "clusters": [],
            "state_bytes_before": _state_bytes(method),
            "held_bytes": [],
            "reachable": [],
            "first_reachable": None,
            "complete": True,
            "seconds": 0.0,
        }
        self._guarded(self._look_before, method)
        self.result["seconds"] += time.perf_counter() - start

    def after_step(self, method: Clusterer, task: Task) -> None:
        """Measure a method that has just learned a task."""
        start = time.perf_counter()
        self._tasks.append(task)
        if not self._known:
            self._note_names([task])
        arrays = self._map.add(task)
        self.result["task_bytes"].append(sum(array.nbytes for array in parts_of(task.X)))
        self.result["clusters"].append(task.n_clusters)
        if "error" not in self.result:
            self._guarded(self._look, method, len(self._tasks), arrays)
        self.result["seconds"] += time.perf_counter() - start

    def _note_names(self, tasks: Sequence[Task]) -> None:
        self._names.update(
            (id(task.feature_names), task.feature_names) for task in tasks if task.feature_names is not None
        )

    def _guarded(self, look: Any, *arguments: Any) -> None:
        try:
            look(*arguments)
        except Exception as error:  # the objects of a plugin may raise anything, which must not fail the run
            logger.debug("the audit could not look into a method", exc_info=True)
            self.result |= {"complete": False, "error": f"{type(error).__name__}: {error}"}

    def _look_before(self, method: Clusterer) -> None:
        self._packages = packages_of(type(method))
        constants: dict[int, Any] | None = None if self._packages.constants else {}
        search, own = self._search(method, constants)
        if constants is not None:
            self._packages.constants = constants
        self._bulk_before, self._ranges_before = search.bulk, search.ranges
        # a module may reach tasks before the first step, as a script that loads a stream does: not the method's fault
        known = TaskMap(self._known)
        self._exempt = known.touched(search.ranges[own:]) - known.touched(search.ranges[:own])

    def _look(self, method: Clusterer, learned: int, arrays: list[MemoryRange]) -> None:
        search, own = self._search(method)
        found = self._map.touched(search.ranges[:own]) | (self._map.touched(search.ranges[own:]) - self._exempt)
        reached = sorted(found)
        self.result["held_bytes"].append(self._held(search, arrays))
        self.result["reachable"].append(len(reached))
        if reached and self.result["first_reachable"] is None:
            self.result["first_reachable"] = {"step": learned, "task": self._tasks[reached[0]].name}
        self.result["complete"] &= search.complete

    def _search(self, method: Clusterer, constants: dict[int, Any] | None = None) -> tuple[Search, int]:
        """The finished search, and how many of its ranges (the first ones) belong to the method, not to its modules.

        The constants of these modules are added to `constants`.
        """
        search = Search(self._packages)
        search.leave_out(vars(method)[name] for name in OUTPUTS if name in vars(method))
        search.leave_out(self._names.values())
        search.enter([method])
        own = len(search.ranges)
        modules = self._packages.modules()
        late = [module for module in modules if id(module) not in self._modules] if self._modules else []
        known = [module for module in modules if id(module) in self._modules] if late else modules
        self._enter_modules(search, known, constants)
        if late:
            bulk = search.bulk
            _leave_out_imports(search, late)
            search.enter(_contents(late), classes=True)
            if all(getattr(module, "__file__", None) for module in late):
                self._bulk_before += search.bulk - bulk  # a module imported while learning is code, not data kept
        if late or not self._modules:
            self._modules.update((id(module), module) for module in modules)
        return search, own

    def _enter_modules(self, search: Search, modules: list[Any], constants: dict[int, Any] | None) -> None:
        """Search modules and their classes; quickly if they refer to what they did last, and that was no data."""
        packages, own, bulk = self._packages, len(search.ranges), search.bulk
        roots = [*packages.classes, *_contents(modules)]
        if constants is not None:
            _leave_out_imports(search, modules)
            search.enter([*search.classes, *roots], classes=True, constants=constants)
            return
        graph, packages.graph = packages.graph, None
        if graph is None or not graph.is_unchanged(roots):
            alone = Search(packages)
            _leave_out_imports(alone, modules)
            graph = alone.graph_of(roots)
        if not search.enter_graph(graph):
            _leave_out_imports(search, modules)
            search.enter([*search.classes, *roots], classes=True)
        elif len(search.ranges) == own and search.bulk - bulk < LITTLE:  # else it would keep data alive
            packages.graph = graph

    def _held(self, search: Search, arrays: list[MemoryRange]) -> int:
        """The bytes held outside the `arrays` of the task just learned, minus those held before the first task."""
        more = covered([*search.ranges, *arrays]) - covered([*self._ranges_before, *arrays])
        return search.bulk - self._bulk_before + more


def _contents(modules: list[Any]) -> list[Any]:
    """The objects in the globals of modules."""
    return gc.get_referents(*gc.get_referents(*modules))


def _leave_out_imports(search: Search, modules: list[Any]) -> None:
    """Have a search skip the import machinery of modules: `__loader__` and `__spec__`."""
    search.leave_out(vars(module).get(name) for module in modules for name in ("__loader__", "__spec__"))


def _state_bytes(method: Clusterer) -> int | None:
    try:
        return len(pickle.dumps(method, protocol=pickle.HIGHEST_PROTOCOL))
    except Exception:  # the first step reports it
        return None

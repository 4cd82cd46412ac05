"""Resumes an experiment: sorts planned runs into done, failed and still to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lcbench.audit.verdict import MEASURE
from lcbench.printable import counted
from lcbench.records.record import OK

if TYPE_CHECKING:
    from lcbench.experiment.options import Experiment
    from lcbench.records.store import Store
    from lcbench.running.planned_run import PlannedRun


@dataclass(slots=True)
class Backlog:
    """Planned runs, sorted into done, failed and still to do.

    `statuses` and `audited` hold, by run id, the status of every stored run and the audits it went through.
    """

    done: list[PlannedRun] = field(default_factory=list)
    failed: list[PlannedRun] = field(default_factory=list)
    left: list[PlannedRun] = field(default_factory=list)
    statuses: dict[str, str] = field(default_factory=dict)
    audited: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def summary(self) -> str:
        """A sentence that counts the runs: all of them, done, failed and still to do."""
        total = len(self.done) + len(self.failed) + len(self.left)
        failed = f", {len(self.failed):,} failed before (--retry-failed runs them again)" if self.failed else ""
        return f"{counted(total, 'run')}: {len(self.done):,} done already{failed}, {len(self.left):,} to do"

    def audits(self, asked: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The audits of each run that is left: those asked for, and those that a stored run had, so none gets lost."""
        return {
            p.run_id: tuple(dict.fromkeys((*((MEASURE,) if p.solo else asked), *self.audited.get(p.run_id, ()))))
            for p in self.left
        }


def find_backlog(plan: Iterable[PlannedRun], store: Store | None, asked: Experiment) -> Backlog:
    """Compares a plan with the stored runs; those still to do come turn by turn. Reads only the index of the store.

    A run is done if it ended well and went through every audit that is asked for, except `measure`, which runs of an
    older lcbench may lack. A failed run is left alone unless it is to be tried again. Runs of a method without a
    revision, such as an instance given from Python, are always still to do: its code may have changed.
    """
    backlog = Backlog()
    index = store.index() if store is not None else {}
    for planned in plan:
        known = index.get(planned.run_id)
        if known is None or not planned.method.cacheable:
            backlog.left.append(planned)
            continue
        backlog.statuses[planned.run_id] = known.status
        backlog.audited[planned.run_id] = tuple(known.audit)
        if known.status == OK:
            wanted = set() if planned.solo else set(asked.audit) - {MEASURE}
            again = asked.fresh or not wanted <= set(known.audit)
            (backlog.left if again else backlog.done).append(planned)
        else:
            (backlog.left if asked.fresh or asked.retry_failed else backlog.failed).append(planned)
    backlog.left.sort(key=lambda planned: planned.turn)
    return backlog

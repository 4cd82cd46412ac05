"""What of an experiment is done already, and what is left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lcbench.audit import MEASURE
from lcbench.printable import counted
from lcbench.record import OK

if TYPE_CHECKING:
    from lcbench.conduct import Conduct
    from lcbench.planning import PlannedRun
    from lcbench.store.runs import RunStore


@dataclass(slots=True)
class Standing:
    """The planned runs by what the store has of them, and for those that it has how they ended and were audited."""

    done: list[PlannedRun] = field(default_factory=list)
    failed: list[PlannedRun] = field(default_factory=list)
    left: list[PlannedRun] = field(default_factory=list)
    statuses: dict[str, str] = field(default_factory=dict)
    audited: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def summary(self) -> str:
        """How many runs there are, and how many of them are left."""
        total = len(self.done) + len(self.failed) + len(self.left)
        failed = f", {len(self.failed):,} failed before (--retry-failed runs them again)" if self.failed else ""
        return f"{counted(total, 'run')}: {len(self.done):,} done already{failed}, {len(self.left):,} to do"


def look_up(plan: Iterable[PlannedRun], store: RunStore | None, conduct: Conduct) -> Standing:
    """Compare a plan with a store. Reads the store's index only.

    A run is done if it ended well and was audited in every way that is asked for (one of an older lcbench need not have
    been measured); one that failed is left alone unless
    it is to be tried again. A method that no revision stands for, such as an instance given from Python, is always left
    to do.
    """
    standing = Standing()
    index = store.index() if store is not None else {}
    for planned in plan:
        entry = index.get(planned.run_id)
        if entry is None or not planned.method.cacheable:
            standing.left.append(planned)
            continue
        standing.statuses[planned.run_id] = entry.status
        standing.audited[planned.run_id] = tuple(entry.audit)
        if entry.status == OK:
            again = conduct.fresh or not set(conduct.audit) - {MEASURE} <= set(entry.audit)
            (standing.left if again else standing.done).append(planned)
        else:
            (standing.left if conduct.fresh or conduct.retry_failed else standing.failed).append(planned)
    return standing

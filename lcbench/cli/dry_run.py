"""`lcbench run --dry-run`: lists the planned runs and which are done already."""

from __future__ import annotations

import json as jsonlib
import sys
from typing import TYPE_CHECKING

from lcbench.printable import counted, printable_line
from lcbench.records.record import OK

if TYPE_CHECKING:
    from lcbench.experiment.pipeline import Prepared


def print_backlog(prepared: Prepared, *, json: bool = False) -> None:
    """Prints one line per run on standard output, and a summary on standard error.

    Tuned runs have no line: they are chosen among the others.
    """
    plan, backlog = prepared.plan, prepared.backlog
    left = {planned.run_id for planned in backlog.left}
    lines = []
    for planned in plan:
        record, run_id = planned.record, planned.run_id
        status = backlog.statuses.get(run_id)
        state = _state(status, run_id in left)
        if json:
            facts = {
                "run_id": run_id, "state": state, "status": status, "to_do": run_id in left, "method": record.label,
                "stream": record.stream_label, "order": list(record.order), "repeat": record.repeat,
            }  # fmt: skip
            lines.append(jsonlib.dumps(facts))
        else:
            order, repeat = ",".join(record.order), f"repeat {record.repeat}"
            what = (run_id[:10], state, record.stream_label, record.label, order, repeat)
            lines.append(printable_line("  ".join(what)))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    chosen = f"; then {counted(len(plan.tuned), 'run')} will be chosen among them" if plan.tuned else ""
    print(f"{backlog.summary()} in {prepared.asked.results}{chosen}", file=sys.stderr)


def _state(status: str | None, left: bool) -> str:
    if status is None:
        return "to do"
    before = "done" if status == OK else status
    return f"again, was {before}" if left else before

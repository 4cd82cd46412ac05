"""All lifelong figures of one run."""

from __future__ import annotations

from lcbench.record import OK, RunRecord
from lcbench.report.alone import alone_scores
from lcbench.scoring import greater_is_better
from lcbench.transfer import FORMULAS, Cell


def figures_of(run: RunRecord, metric: str, baseline: RunRecord | None) -> dict[str, Cell]:
    """The figures of a run by name, in the order of FORMULAS; None where what one needs is not there.

    `baseline` is the run of the single-task method that `run` is measured against, if there is one.
    """
    R = run.scores.get(metric)
    if run.status != OK or R is None:
        return {formula.name: None for formula in FORMULAS}
    alone, better = alone_scores(baseline, metric, run.order), greater_is_better(metric)
    return {f.name: f.compute(R, alone=alone, agreement=run.agreement, greater_is_better=better) for f in FORMULAS}

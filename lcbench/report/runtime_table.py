"""Tables of the time that methods take to learn streams, beside references and earlier ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lcbench.report import numbers
from lcbench.report.sheets.sheet import Sheet, text_sheet

HOW = (
    "CPU seconds to learn all tasks, one thread, the median of {rounds}; ± is half of their middle range. Predictions "
    "and the loading of data do not count. {reference} is scikit-learn's SpectralClustering on ten neighbours, task by "
    "task."
)
BEFORE = (
    "Times before: beside {reference} in both files, as the machine may have been faster or slower then; below 1 is "
    "quicker now."
)
PAPER = "The paper's seconds are of another machine, and it does not say what it counts: only their order compares."


def runtime_sheet(
    title: str,
    times: Mapping[str, tuple[float, float]],
    *,
    rounds: int,
    baseline: str,
    reference: str,
    paper: Mapping[str, str] | None = None,
    before: Mapping[str, float] | None = None,
) -> Sheet:
    """The times of methods on one stream, by method: median and spread. The quickest first.

    Times are also shown in times of the `baseline` and of the `reference`; `paper` has the seconds that a paper prints,
    `before` those of an earlier file.
    """
    columns = ["seconds", "±", f"times {baseline}", f"times {reference}"]
    notes = [HOW.format(rounds=f"{rounds} rounds" if rounds > 1 else "one round", reference=reference)]
    if before is not None:
        columns += ["before", "times before"]
        notes.append(BEFORE.format(reference=reference))
    if paper:
        columns.append("paper")
        notes.append(PAPER)
    rows = []
    for method, (seconds, spread) in sorted(times.items(), key=lambda each: each[1][0]):
        row = [
            method, numbers.seconds(seconds), numbers.seconds(spread), _ratio(times, method, baseline),
            _ratio(times, method, reference),
        ]  # fmt: skip
        if before is not None:
            row += [numbers.seconds(before.get(method)), _change(times, before, method, reference)]
        if paper:
            row.append(paper.get(method, numbers.MISSING))
        rows.append(row)
    return text_sheet(title, ("method", *columns), rows, 1, notes=notes)


def _ratio(times: Mapping[str, tuple[float, float]], method: str, other: str) -> str:
    if other not in times or not times[other][0]:
        return numbers.MISSING
    return f"{times[method][0] / times[other][0]:.2f}"


def _change(times: Mapping[str, tuple[float, float]], before: Mapping[str, float], method: str, reference: str) -> str:
    """The time of a method beside the reference, now over then."""
    known: Sequence[float | None] = (before.get(method), before.get(reference), times.get(reference, (None,))[0])
    if not all(known):
        return numbers.MISSING
    then, reference_then, reference_now = (float(each or 0.0) for each in known)
    return f"{times[method][0] / reference_now / (then / reference_then):.2f}"

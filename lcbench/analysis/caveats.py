"""Notes on runs: unverified, not isolated, timed as in 0.1, processes left, collapsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from lcbench.analysis.selection import grouped
from lcbench.records.record import FIRST_CLOCK, OK, RunRecord

NOT_ISOLATED = "ran in the caller's process, not in one of its own"
FIRST_TIMES = "times as version 0.1 defined them: building a method and reading its labels were free"
MOST_IN_ONE = 0.95  # share of a task's samples in one cluster, above which its partition has collapsed
UNVERIFIED = "an older lcbench wrote it, without a checksum"
LEFT = "left processes behind, which were ended"


def caveats(runs: Iterable[tuple[str, RunRecord]]) -> list[str]:
    """A note for each caveat, with the methods that it holds for; `runs` come with the labels that a table shows.

    The times of version 0.1 are a caveat only beside those of a later one.
    """
    groups = grouped(runs)
    done = {label: [run for run in group if run.status == OK] for label, group in groups.items()}
    notes = [*_note(groups, "unverified, as an older lcbench wrote them, without a checksum", _is_unverified)]
    notes += _note(groups, NOT_ISOLATED, lambda run: run.isolated is False)
    if any(run.clock != FIRST_CLOCK for group in done.values() for run in group):
        notes += _note(done, FIRST_TIMES, lambda run: run.clock == FIRST_CLOCK)
    return [*notes, *_note(groups, LEFT, lambda run: run.processes_left > 0)]


def collapses(methods: Mapping[str, Sequence[RunRecord]]) -> list[str]:
    """A note for each method that puts nearly all samples of a task in one cluster where another method does not."""
    shares = {
        label: grouped(
            (task, share)
            for run in runs
            if run.status == OK
            for task, share in zip(run.order, run.largest, strict=False)
            if share is not None
        )
        for label, runs in methods.items()
    }
    notes = []
    for label, own in shares.items():
        others = [found for other, found in shares.items() if other != label]
        collapsed = {
            task: count
            for task, found in own.items()
            if (count := sum(share > MOST_IN_ONE for share in found))
            and any(fmean(other[task]) <= MOST_IN_ONE for other in others if task in other)
        }
        if collapsed:
            runs = max(map(len, own.values()))
            where = ", ".join(
                f"'{task}'" + (f" ({n} of {runs} runs)" if runs > 1 else "") for task, n in collapsed.items()
            )
            notes.append(
                f"{label} collapses: more than {MOST_IN_ONE:.0%} of the samples of {where} are in one cluster, and "
                "another method finds more."
            )
    return notes


def _is_unverified(run: RunRecord) -> bool:
    return not run.verified


def _note(groups: dict[str, list[RunRecord]], words: str, holds: Callable[[RunRecord], bool]) -> Iterable[str]:
    """The note for the methods of which it holds, with a count where it does not hold for all of their runs."""
    named = []
    for label, group in groups.items():
        count = sum(map(holds, group))
        if count:
            named.append(label if count == len(group) else f"{label} ({count} of {len(group)} runs)")
    if named:
        yield f"{', '.join(named)}: {words}."

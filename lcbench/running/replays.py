"""Carries out a run with its audits; `isolate` and `poison` replay it without old tasks.

Every replay is made in fresh processes, and its labels are compared with those of the run outside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lcbench.audit.label_check import Labels, StepError, compared, first_difference
from lcbench.audit.verdict import ISOLATE, MEASURE
from lcbench.printable import byte_size
from lcbench.records.record import OK, is_scored, parse_evaluate

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray
    from lcbench.running.isolated_run import IsolatedRun
    from lcbench.running.steps import Learned

# A state may be larger where objects that are one in a process are several in the next, and the states of the global
# generators go with it: so much is no sign of data.
MOST_TIMES, MOST_MORE = 2, 16_384


class _Relearned(NamedTuple):
    """The labels of a step that was replayed."""

    learned: int
    labels: Labels


def learned_and_audited(run: IsolatedRun, audits: Sequence[str]) -> Iterator[Learned]:
    """The steps of a run as they come, then its audits; afterwards `run.ending` says how it ended and has them.

    Any machine that is handed the tasks without labels can do that.
    """
    labels: list[Labels] = []
    sizes: list[int] = []
    run.private = any(mode != MEASURE for mode in audits)
    for learned in run.learned():
        labels.append(learned.labels)
        sizes.append(learned.state_bytes)
        yield learned
    ending = run.ending
    if ending.status == OK:
        reachable = any(ending.audit[MEASURE]["reachable"])
        for mode in audits:
            if mode != MEASURE and not run.is_stopped:
                ending.audit[mode] = audited(mode, run, labels, sizes, reachable=reachable)
    run.ending = ending  # each replay had one of its own


def audited(
    mode: str, run: IsolatedRun, labels: Sequence[Labels], sizes: Sequence[int], *, reachable: bool
) -> dict[str, Any]:
    """The result of an audit of a run that gave these labels and had states of these sizes after its steps.

    `reachable` if it is known to keep its tasks.
    """
    steps = _isolated_steps(run, sizes) if mode == ISOLATE else _replayed(run, poison=True)
    result = compared(steps, labels, run.assigned.order)
    result["private_folders"] = run.has_private_folders
    if result["passed"] is False and not reachable:
        result["repeats"] = _repeats(run, labels)
    return result


def _replayed(run: IsolatedRun, *, poison: bool = False) -> Iterator[_Relearned]:
    """The steps of the run made once more; StepError if it fails."""
    for step in run.learned(quiet=True, poison=poison):
        yield _Relearned(step.learned, step.labels)
    if run.ending.status != OK:
        raise StepError(run.ending.error)


def _isolated_steps(run: IsolatedRun, sizes: Sequence[int]) -> Iterator[_Relearned]:
    """The steps of the run, each task learned and each prediction made by a process that gets the state alone.

    StepError if a state is much larger than that of the run itself after this step, whose size was measured.
    """
    assigned = run.assigned
    order, every = assigned.order, parse_evaluate(assigned.evaluate)
    state: bytes | None = None
    known: dict[int, IntArray] = {}
    for i in range(len(order)):
        labels, new, unseen = run.one_step("learn", i, state)
        if len(new) > MOST_TIMES * sizes[i] + MOST_MORE:
            raise StepError(
                f"it hands over a state of {byte_size(len(new))} here, and of {byte_size(sizes[i])} in the run itself"
            )
        if new != state:
            state, known = new, {}
        scored = is_scored(i + 1, len(order), every)
        later = range(i + 1, len(order)) if assigned.future and unseen else ()
        found = {order[i]: labels}
        generators: bytes | None = None  # a prediction draws on where the one before it ended
        for j in (*range(i), *later) if scored else ():
            if j not in known:
                known[j], generators, _ = run.one_step("predict", j, state, generators)
            found[order[j]] = known[j]
        yield _Relearned(i + 1, found)


def _repeats(run: IsolatedRun, labels: Sequence[Labels]) -> bool | None:
    """True if the ordinary run, made once more, gives the same labels; None if that fails.

    If False, the method gives other labels in every run, so that labels which differ in an audit prove nothing.
    """
    try:
        found = [step.labels for step in _replayed(run)]
    except StepError:
        return None
    return all(first_difference(*pair) is None for pair in zip(found, labels, strict=True))

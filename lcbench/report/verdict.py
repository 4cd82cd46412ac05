"""The verdict on a stream: who is first, what comes from other tasks, what it costs."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.analysis.compare import ComparedMethod, ComparedStream
from lcbench.analysis.differences import Difference
from lcbench.analysis.first_place import FirstPlace
from lcbench.analysis.statistics import Interval
from lcbench.analysis.transfer import GAIN, NEGATIVE, OWN, POSITIVE, TOTAL, Transfer
from lcbench.contract.specs import Setting
from lcbench.printable import counted
from lcbench.registry.metrics import greater_is_better
from lcbench.report import numbers
from lcbench.report.comparison.transfer import FEW_ORDERS
from lcbench.report.sheets.sheet import Sheet, text_sheet

MOST_METHODS = 3  # whose transfer is told; the tables have all
LEAST_SECONDS = 0.1  # of all runs: the ratio of shorter times is chance
NOT_KNOWN = (
    "it is not known what other tasks bring: that takes solo runs that ended well (--solo) and scores at arrival "
    "(--evaluate all)"
)


def verdict_sheet(streams: Sequence[ComparedStream]) -> list[Sheet]:
    """The verdict on every stream, as a table without rows; none if nothing was scored."""
    lines = [line for stream in streams for line in verdict_lines(stream)]
    return [text_sheet("", ("",), (), notes=lines)] if lines else []


def verdict_lines(stream: ComparedStream) -> list[str]:
    """One to five lines on a stream; none if nothing was scored there."""
    first = stream.first
    if first is None:
        return []
    methods = {method.label: method for method in stream.methods}
    best = methods[first.method]
    start = f"{stream.label}, {counted(first.orders, 'order')}: {first.method}"
    score = f"{numbers.score(first.metric, first.mean)} {first.metric}"
    found = stream.transfer.get((first.method, first.metric))
    beside_own = found is not None and first.second == best.baseline and GAIN in found.parts
    if found is not None and not first.level and (first.second is None or beside_own):
        rest = learners(stream, first, besides=first.method)
        return [f"{start} {score}, {_told(stream, best, found, first.metric)}", *rest]
    return [f"{start} {score}{_lead(first, stream.confidence)}.", *learners(stream, first)]


def learners(stream: ComparedStream, first: FirstPlace, besides: str = "") -> list[str]:
    """A line for each of the best methods that could learn from other tasks: what these bring, and what it costs."""
    can = [m for m in stream.methods if m.setting != Setting.SINGLE_TASK.value and m.done and m.label != besides]
    ranked = sorted(can, key=lambda method: _distance(stream, first, method))
    lines = []
    shown = ranked[: MOST_METHODS - bool(besides)]
    for method in shown:
        found = stream.transfer.get((method.label, first.metric))
        if found is not None:
            lines.append(f"{method.label}: {_told(stream, method, found, first.metric)}")
        elif method.label == first.method:
            lines.append(f"{method.label}: {NOT_KNOWN}.")
    others = [m.label for m in ranked[len(shown) :] if (m.label, first.metric) in stream.transfer]
    return [*lines, f"What other tasks bring to {', '.join(others)} is in the table."] if others else lines


def _distance(stream: ComparedStream, first: FirstPlace, method: ComparedMethod) -> float:
    spread = stream.scores.get((method.label, first.metric, None))
    return float("inf") if spread is None else abs(spread.mean - first.mean)


def _lead(first: FirstPlace, confidence: float) -> str:
    """The lead over the second, in words."""
    if first.second is None:
        return ""
    if first.level:
        all_of_them = "both" if len(first.level) == 1 else f"all {len(first.level) + 1}"
        return f", level with {' and '.join(first.level)}: {all_of_them} are first of {first.methods}"
    place = f" is first of {first.methods}"
    lead = first.lead
    if lead is None:
        return f"{place}; no two runs of it and {first.second} are a pair"
    shown = numbers.score(first.metric, lead.mean, signed=True)
    unsure = not float(shown) or (lead.low is not None and lead.high is not None and lead.low <= 0 <= lead.high)
    if float(shown) and (lead.mean < 0) == greater_is_better(first.metric):
        pairs = counted(lead.pairs, "pair")
        return f"{place} by its mean, but not ahead of {first.second} in their {pairs} of runs ({shown})"
    ahead = f"{place}, {shown} over {first.second}{_interval(first.metric, lead, confidence, lead.orders)}"
    return ahead + (": no clear lead" if unsure else "")


def _told(stream: ComparedStream, method: ComparedMethod, found: Transfer, metric: str) -> str:
    """The gain of a method, the parts of it, and its cost."""

    def part(name: str) -> str:
        return numbers.score(metric, found.parts[name].mean, signed=True)

    confidence = stream.confidence
    total = found.parts[TOTAL]
    if GAIN in found.parts:
        gain = f"{part(GAIN)} over {method.baseline}{_interval(metric, found.parts[GAIN], confidence, found.orders)}"
        words = f"{gain}: {part(OWN)} by itself, {part(TOTAL)} from other tasks{_doubt(metric, total, found.flag)}"
    else:
        sure = _interval(metric, total, confidence, found.orders)
        words = f"{part(TOTAL)} from other tasks{sure}{_doubt(metric, total, found.flag)}"
    return f"{words}. {_cost(stream, method)}."


def _doubt(metric: str, total: Interval, flag: str) -> str:
    """A word on a total transfer that is negative, or not clear; none if it reads as zero at both ends."""
    if total.low is None or not any(float(numbers.score(metric, end)) for end in (total.low, total.high)):
        return ""
    return {NEGATIVE: " (NEGATIVE transfer)", POSITIVE: ""}.get(flag, " (not clear)")


def _interval(metric: str, found: Interval | Difference, confidence: float, orders: int) -> str:
    if found.low is None or found.high is None:
        return ""
    ends = [numbers.score(metric, end, signed=True) for end in (found.low, found.high)]
    few = ", few orders" if orders < FEW_ORDERS else ""
    return f" ({100 * confidence:g} % {ends[0]} to {ends[1]}{few})"


def _cost(stream: ComparedStream, method: ComparedMethod) -> str:
    """The time of learning, beside that of the baseline if it was run, and the size of the state."""
    base = next((other.learn_seconds for other in stream.methods if other.label == method.baseline), None)
    time = f"in {numbers.seconds(method.learn_seconds)} s"
    if base and method.learn_seconds and min(base, method.learn_seconds) * method.done >= LEAST_SECONDS:
        time = f"in {method.learn_seconds / base:.1f}x {method.baseline}'s time"
    return f"Learns {time}, keeps {numbers.size(method.state_bytes)}"

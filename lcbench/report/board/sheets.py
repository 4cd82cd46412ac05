"""Tables of a board: ranks and scores over all streams and on each, transfer, submissions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lcbench.analysis.statistics import Interval
from lcbench.analysis.transfer import BACKWARD, FORWARD, TOTAL, direction
from lcbench.printable import counted
from lcbench.registry.metrics import greater_is_better, with_unit
from lcbench.registry.names import format_value
from lcbench.report import numbers
from lcbench.report.comparison.transfer import TONES
from lcbench.report.sheets.sheet import Cell, Sheet, text_sheet
from lcbench.submission.entries import Entry, spent
from lcbench.submission.standings import PARTS, SOLO, Board, Standing, part_of
from lcbench.submission.verification import Level

BADGES = {
    Level.SCORED: Cell("○ scored", tone="dim"),
    Level.RERUN: Cell("◐ rerun"),
    Level.VERIFIED: Cell("● verified", tone="good"),
}
FAILED = "†"
_HEAD = ("method", "setting", "level")
FEW_STREAMS = 10  # with fewer, an interval by bootstrap is clearly too narrow
HEADINGS = {SOLO: "solo", FORWARD: "forward", BACKWARD: "backward", TOTAL: "total"}
_FAILED_NOTE = f"{FAILED} Some of these runs failed. Each of them counts as if all samples of a task were one cluster."


def overall_sheet(board: Board) -> Sheet:
    """A row per entry, the best first: its mean rank over streams, and its means by each metric."""
    best = _best([standing.rank for standing in board.standings], greater=False, shown=lambda value: f"{value:.2f}")
    means = [[standing.means[metric] for standing in board.standings] for metric in board.metrics]
    failed = [len(standing.entry.failed) for standing in board.standings]
    columns = [
        _score_column(metric, found, failed, intervals=i == 0)
        for i, (metric, found) in enumerate(zip(board.metrics, means, strict=True))
    ]
    rows = []
    for standing, bold, *cells in zip(board.standings, best, *columns, strict=True):
        entry = standing.entry
        rank = Cell(_with_interval(standing.rank, lambda value: f"{value:.2f}"), bold=bold)
        ended = _failed_cell(len(entry.failed), len(entry.runs) + len(entry.solos))
        rows.append((*_head(entry), rank, *cells, ended, numbers.seconds(entry.seconds), numbers.size(entry.bytes)))
    header = (*_HEAD, "mean rank", *map(with_unit, board.metrics), "failed", "longest run (s)", "peak memory")
    notes = (
        f"Ranks are by {board.metrics[0]} among all methods here: on each stream by the mean over orders of the "
        "average over tasks after the last was learned, 1 for the best, equal ones share theirs; then the mean over "
        "streams.",
        *_over_streams(board),
        "Time and memory are those of the submitter's machine, and nobody can check them.",
        *([_FAILED_NOTE] if any(standing.entry.failed for standing in board.standings) else []),
    )
    return text_sheet("All streams", header, rows, len(_HEAD), notes=notes)


def across_sheet(board: Board, metric: str) -> Sheet:
    """A row per entry and a column per stream: the mean over orders by a metric."""
    columns = []
    for stream in board.streams:
        found = [standing.scores[stream.shown, metric] for standing in board.standings]
        failed = [standing.entry.failed_on(stream.shown) for standing in board.standings]
        columns.append(_score_column(metric, found, failed, intervals=False))
    rows = zip((standing.entry.name for standing in board.standings), *columns, strict=True)
    header = ("method", *(stream.shown for stream in board.streams))
    notes = [_FAILED_NOTE] if any(cell.text.endswith(FAILED) for cells in columns for cell in cells) else []
    return text_sheet(f"{with_unit(metric)} on each stream", header, rows, 1, notes=notes)


def stream_sheet(board: Board, stream: str) -> Sheet:
    """A row per entry, the best first on this stream: its rank there, its scores, failed runs and time."""
    standings = sorted(board.standings, key=lambda standing: standing.ranks[stream])
    failed = [standing.entry.failed_on(stream) for standing in standings]
    columns = [
        _score_column(metric, [standing.scores[stream, metric] for standing in standings], failed)
        for metric in board.metrics
    ]
    rows = []
    for standing, *cells in zip(standings, *columns, strict=True):
        entry = standing.entry
        ended = _failed_cell(entry.failed_on(stream), len(entry.runs_on(stream)))
        seconds = numbers.seconds(_mean_seconds(entry, stream))
        rows.append((*_head(entry), f"{standing.ranks[stream]:g}", *cells, ended, seconds))
    (facts,) = [each for each in board.streams if each.shown == stream]
    kind = f"{counted(facts.tasks, 'task')}, {facts.order} order, {counted(facts.repeats, 'repeat')}"
    notes = [f"{kind}. {facts.purpose}".strip(), *_over_orders(board, stream)]
    notes += [_FAILED_NOTE] if any(failed) else []
    header = (*_HEAD, "rank", *map(with_unit, board.metrics), "failed", "seconds")
    return text_sheet(stream, header, rows, len(_HEAD), notes=notes)


def transfer_sheet(board: Board) -> Sheet | None:
    """A row per entry: alone, and what the tasks before and after bring, means over streams."""
    metric = board.metrics[0]
    rows = [
        (entry.name, *(_part_cell(metric, part, standing.parts[part], failed=bool(entry.failed)) for part in PARTS))
        for standing in board.standings
        if standing.parts and (entry := standing.entry)
    ]
    alone = [standing.entry.name for standing in board.standings if not standing.parts]
    notes = (
        "Solo is the average over tasks that the same method learned alone. Forward is what the tasks before a task "
        "bring when it is learned, backward what those after it change. Total is their sum: the score of the method "
        "minus solo.",
        *_over_streams(board),
        *([f"Learns every task alone, so that others bring nothing: {', '.join(alone)}."] if alone else []),
        *([_FAILED_NOTE] if any(standing.entry.failed and standing.parts for standing in board.standings) else []),
    )
    header = ("method", *(HEADINGS[part] for part in PARTS))
    title = f"What other tasks bring, by {with_unit(metric)}"
    return text_sheet(title, header, rows, 1, notes=notes) if rows else None


def stream_transfer_sheet(board: Board) -> Sheet | None:
    """The same on each stream: a row per entry and stream."""
    metric = board.metrics[0]
    rows = []
    for standing in board.standings:
        for stream, found in standing.transfer.items():
            failed = any(run.stream_label == stream for run in standing.entry.failed)  # also over one task
            parts = [_part_cell(metric, part, part_of(found, part), failed=failed) for part in PARTS]
            rows.append((standing.entry.name, stream, *parts))
    header = ("method", "stream", *(HEADINGS[part] for part in PARTS))
    title = f"What other tasks bring on each stream, by {with_unit(metric)}"
    return text_sheet(title, header, rows, 2, notes=_over_orders(board)) if rows else None


def submission_sheet(board: Board) -> Sheet:
    """A row per entry: its package, what was verified of it, and what its submitter declares."""
    header = (
        "method", "parameters", "package", "submission", "verified", "code", "paper", "contact", "tuning",
        "outside data", "labels",
    )  # fmt: skip
    return text_sheet(
        "What was submitted",
        header,
        (_submitted(standing) for standing in board.standings),
        notes=("From code to labels, this is what the submitters declare; nobody can compute it.",),
    )


def _over_streams(board: Board) -> list[str]:
    """A note on intervals over streams; none where there is one stream, and so no interval."""
    few = ", and is too narrow with so few." if len(board.streams) < FEW_STREAMS else "."
    drawn = f"[low, high] is a 95 % interval from drawing the {len(board.streams)} streams anew."
    return [f"{drawn} It says how much hangs on the choice of streams{few}"] if len(board.streams) > 1 else []


def _over_orders(board: Board, stream: str | None = None) -> list[str]:
    """A note on intervals on a stream, or on each; none where there is one run, and so no interval."""
    several = any(each.repeats > 1 for each in board.streams if stream in (None, each.shown))
    return ["[low, high] is a 95 % interval from drawing orders and repeats anew."] if several else []


def _submitted(standing: Standing) -> Iterator[str]:
    entry = standing.entry
    description = entry.submission.description
    yield entry.name
    yield ", ".join(f"{name}={format_value(value)}" for name, value in entry.method.values.items()) or numbers.MISSING
    yield f"{description.package.distribution} {description.package.version}"
    yield entry.submission.id[:12]
    yield proof(entry)
    about = description.about
    yield from (about.code, about.paper, about.contact, about.tuning, about.outside_data, about.labels)


def proof(entry: Entry) -> str:
    """The runs of an entry that were run again, out of how many, where and when; a dash if none were."""
    found = entry.verification
    if found is None:
        return numbers.MISSING
    own = [run for run in found.runs if run.method == entry.method.label]
    total = len(entry.runs) + len(entry.solos)
    passed = sum(run.passed for run in own)
    counts = f"{passed} of {counted(len(own), 'run')} drawn came out as submitted, of {total}"
    return f"{counts}; nonce {found.nonce}, {found.when[:10]}, {found.platform}"


def _score_column(
    metric: str, scores: Sequence[Interval | None], failed: Sequence[int], *, intervals: bool = True
) -> list[Cell]:
    """The cells of scores, the best of them bold; those with failed runs are marked."""

    def shown(value: float) -> str:
        return numbers.score(metric, value)

    best = _best(scores, greater=greater_is_better(metric), shown=shown)
    cells = []
    for score, bold, marked in zip(scores, best, failed, strict=True):
        if score is None:
            cells.append(numbers.DASH)
        else:
            text = _with_interval(score, shown) if intervals else shown(score.mean)
            cells.append(Cell(f"{text} {FAILED}" if marked else text, bold=bold, tone="bad" if marked else ""))
    return cells


def _best(scores: Sequence[Interval | None], *, greater: bool, shown: Callable[[float], str]) -> list[bool]:
    """True for each score that is shown as the best one is."""
    means = [score.mean for score in scores if score is not None]
    best = shown((max if greater else min)(means)) if means else None
    return [score is not None and shown(score.mean) == best for score in scores]


def _with_interval(found: Interval, shown: Callable[[float], str]) -> str:
    if found.low is None or found.high is None:
        return shown(found.mean)
    return f"{shown(found.mean)} [{shown(found.low)}, {shown(found.high)}]"


def _head(entry: Entry) -> tuple[object, ...]:
    return entry.name, entry.method.setting, BADGES[entry.level]


def _failed_cell(failed: int, runs: int) -> Cell:
    return Cell(f"{failed} of {runs} {FAILED}", tone="bad") if failed else Cell("0", tone="dim")


def _part_cell(metric: str, part: str, found: Interval, *, failed: bool) -> Cell:
    text = _with_interval(found, lambda value: numbers.score(metric, value, signed=part != SOLO))
    tone = TONES[direction(found, metric)] if part == TOTAL else ""
    return Cell(f"{text} {FAILED}", tone="bad") if failed else Cell(text, tone=tone)


def _mean_seconds(entry: Entry, stream: str) -> float | None:
    failed = {run.run_id for run in entry.failed}
    found = [spent(run) for run in entry.runs_on(stream) if run.run_id not in failed]
    return sum(found) / len(found) if found else None

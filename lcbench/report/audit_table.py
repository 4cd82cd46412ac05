"""The audit table: the data each method keeps, and if its setting allows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lcbench.analysis.lifelong_table import group_runs
from lcbench.audit.not_excluded import PROGRAMS, not_excluded
from lcbench.audit.verdict import DATA, LIBRARY, NOTHING, UNKNOWN, Verdict, verdict_of
from lcbench.records.record import OK, RunRecord
from lcbench.report import numbers
from lcbench.report.sheets.sheet import Cell, Sheet, text_sheet

HEADER = ("stream", "method", "setting", "keeps", "as promised", "state", "isolate", "poison")
NO_REPEAT, NOT_POSSIBLE = "no repeat", "not possible"
TONES = {True: "good", False: "bad", None: ""}
_SEVERITY = (DATA, UNKNOWN, LIBRARY, NOTHING)


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One method on one stream: the worst verdict among its runs.

    `isolate` and `poison` are "same" or "differs", "no repeat" of a method whose labels differ in every run, "not
    possible", or a dash where the audit was not asked for. `not_excluded` are the hiding places that were not.
    """

    stream: str
    method: str
    setting: str
    verdict: Verdict
    state_bytes: int
    isolate: str
    poison: str
    not_excluded: tuple[str, ...] = ()

    @property
    def replayed(self) -> bool:
        """True if a run was repeated to compare its labels: more than `measure` was done."""
        return (self.isolate, self.poison) != (numbers.MISSING, numbers.MISSING)

    @property
    def isolated(self) -> bool:
        """True if the audit `isolate` was made."""
        return self.isolate not in (numbers.MISSING, NOT_POSSIBLE)

    @property
    def kept(self) -> str:
        """The data that the method keeps, in a word or two."""
        words = {NOTHING: "nothing", DATA: "its data", UNKNOWN: "cannot be told"}
        return words.get(self.verdict.kept) or f"a library of {numbers.size(self.verdict.size)}"

    @property
    def promised(self) -> str:
        """`yes` if the method keeps no more than its setting promises, `NO` if it does, `?` if unknown."""
        return {True: "yes", False: "NO", None: "?"}[self.verdict.within_promise]

    @property
    def complaint(self) -> str:
        """A sentence if the method breaks its promise, or cannot be shown to keep it; else empty."""
        if self.verdict.within_promise:
            return ""
        kind = "Not proved" if self.verdict.repeats else "Does not repeat itself"
        if self.verdict.within_promise is False:
            kind = "Promise broken"
        reasons = "; ".join(self.verdict.reasons) or "its setting allows for less"
        return f"{kind}: {self.method} on {self.stream} is {self.setting} and {self.verdict} ({reasons})."

    @property
    def cells(self) -> tuple[object, ...]:
        """The row in the order of HEADER."""
        promised = Cell(self.promised, tone=TONES[self.verdict.within_promise])
        state = numbers.size(self.state_bytes)
        return self.stream, self.method, self.setting, self.kept, promised, state, self.isolate, self.poison


def audit_sheet(rows: Sequence[AuditRow]) -> Sheet:
    """The table of these rows, with a note on each promise that is broken or not proved."""
    title = "What each method keeps of the tasks it has learned"
    notes = *(row.complaint for row in rows if row.complaint), *open_places(rows)
    return text_sheet(title, HEADER, (row.cells for row in rows), notes=notes)


def open_places(rows: Sequence[AuditRow]) -> list[str]:
    """Sentences about the hiding places that were not excluded: one, or one for each group of methods."""
    methods: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        methods.setdefault(row.not_excluded, []).append(row.method)
    sentences = []
    for places, of in methods.items():
        whose = f" for {', '.join(dict.fromkeys(of))}" if len(methods) > 1 else ""
        sealing = "; --sealed excludes most of it" if PROGRAMS in places else ""
        sentences.append(f"Not excluded{whose}: {', '.join(places)}{sealing}.")
    return sentences


def audit_rows(runs: Sequence[RunRecord]) -> list[AuditRow]:
    """A row per stream and method, over the successful runs that were audited."""
    rows = []
    for (stream, label), group in group_runs(runs).items():
        done = [run for run in group if run.status == OK and "measure" in run.audit]
        if done:
            worst = min((verdict_of(run) for run in done), key=_severity)
            state = max(run.state_bytes[-1] for run in done)
            replays = (_outcome(done, "isolate"), _outcome(done, "poison"))
            places = [place for run in done for place in not_excluded(run.audit, sealed=bool(run.sealed))]
            row = AuditRow(stream, label, done[0].setting, worst, state, *replays, tuple(dict.fromkeys(places)))
            rows.append(row)
    return rows


def _severity(found: Verdict) -> tuple[int, int, int]:
    """Sorts verdicts, the worst first."""
    return (False, None, True).index(found.within_promise), _SEVERITY.index(found.kept), -found.size


def _outcome(runs: Sequence[RunRecord], mode: str) -> str:
    """The results of one audit mode over several runs, in words; the worst one counts."""
    results = [run.audit[mode] for run in runs if mode in run.audit]
    if not results:
        return numbers.MISSING
    passed = [result["passed"] for result in results]
    differs = passed.count(False)
    if differs and all(result.get("repeats") is False for result in results if result["passed"] is False):
        return NO_REPEAT
    if differs:
        return "differs" if len(results) == 1 else f"differs ({differs} of {len(results)} runs)"
    return NOT_POSSIBLE if None in passed else "same"

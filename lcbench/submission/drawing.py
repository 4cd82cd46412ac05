"""Draws the runs of a submission that are run again, by a verifier's nonce that nobody knew."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from lcbench.contract.hashing import canonical_json
from lcbench.errors import SubmissionError
from lcbench.printable import counted
from lcbench.records.record import RunRecord
from lcbench.submission.expected import is_solo


def draw(expected: Mapping[str, RunRecord], submission: str, nonce: str, sample: int) -> list[str]:
    """The ids of `sample` runs, in the order in which they are drawn.

    Runs are sorted by the SHA-256 of nonce, submission and run id, those over many tasks and those over one task of
    each method by themselves; then each of these groups gives one in turn. So a sample has every method, and the many
    small runs over one task do not crowd out those that decide its scores.
    """
    groups: dict[tuple[bool, str], list[str]] = {}
    for run_id, run in expected.items():
        groups.setdefault((is_solo(run), run.label), []).append(run_id)
    methods = len({label for _, label in groups})
    if not methods <= sample:
        raise SubmissionError(
            f"The sample has at least one run of each method: draw at least {counted(methods, 'run')}, not {sample}."
        )

    def ticket(run_id: str) -> str:
        return hashlib.sha256(canonical_json([nonce, submission, run_id]).encode()).hexdigest()

    turns = [
        (turn, *group, run_id) for group, runs in groups.items() for turn, run_id in enumerate(sorted(runs, key=ticket))
    ]
    return [run_id for _, _, _, run_id in sorted(turns)][:sample]

"""`lcbench results check`: verifies records and labels of all runs, and their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.help import examples
from lcbench.cli.run_options import Plugins
from lcbench.cli.stored_runs import SHORT, Folder, open_store
from lcbench.errors import DataUnavailableError
from lcbench.printable import counted, printable_line
from lcbench.records import DEFAULT_FOLDER

if TYPE_CHECKING:
    from lcbench.experiment.rescoring import Rescoring
    from lcbench.records.store import VerifiedRun


@examples(
    ("lcbench results check", "Are all files as they were written?"),
    ("lcbench results check --rescore", "And are the scores those of the labels?"),
    ("lcbench results check --results old-results", "In another folder."),
)
def check_runs(
    rescore: Annotated[
        bool, typer.Option("--rescore", help="Also compute every score again from the labels; needs the data.")
    ] = False,
    results: Folder = DEFAULT_FOLDER,
    plugin: Plugins = None,
) -> None:
    """Verify the files of all runs.

    Records by their checksums, labels by their digests, and with --rescore every score by the labels. Prints a line for
    each fault, and ends with exit code 1 if there is one, or with 3 if some scores could not be computed again.
    """
    from lcbench.cli.progress import transfers_shown
    from lcbench.running.threads import set_thread_variables

    set_thread_variables(1)  # before numpy is imported
    from lcbench.experiment.rescoring import Rescoring

    store = open_store(results)
    counts: Counter[str] = Counter()
    not_rescored: Counter[str] = Counter()
    with transfers_shown(), Rescoring() if rescore else nullcontext() as rescoring:
        for run in store.verify():
            faults = list(_faults(run, rescoring, not_rescored))
            for fault in faults:
                print(printable_line(f"{run.run_id[:SHORT]}{_called(run)}: {fault}"), flush=True)
            counts[_kind(run, bool(faults))] += 1
    print(_summary(counts, results))
    if rescoring is not None:
        print(f"{counted(rescoring.count, 'score')} computed again from the labels.")
    for reason, count in not_rescored.items():
        print(printable_line(f"Not computed again, scores of {counted(count, 'run')}: {reason}."))
    if counts["with faults"]:
        print(
            "A run with a damaged record is left out of tables, and 'lcbench run' makes it again; for another fault "
            "say 'lcbench results remove ID' first."
        )
        raise typer.Exit(1)
    if not_rescored:
        raise typer.Exit(DataUnavailableError.exit_code)


def _faults(run: VerifiedRun, rescoring: Rescoring | None, not_rescored: Counter[str]) -> Iterator[str]:
    """The faults of a run; scores that could not be computed again are counted by the reason."""
    from lcbench.experiment.rescoring import NotRescoredError

    yield from (f"record damaged: {problem}" if run.record is None else problem for problem in run.problems)
    if run.record is not None and run.record.labels and rescoring is not None:
        try:
            yield from rescoring.differences(run.record)
        except NotRescoredError as error:
            not_rescored[str(error)] += 1


def _called(run: VerifiedRun) -> str:
    return "" if run.record is None else f" ({run.record.label} on {run.record.stream_label})"


def _kind(run: VerifiedRun, faulty: bool) -> str:
    if faulty:
        return "with faults"
    if run.record is None:
        return "of a later lcbench, not read"
    return "as written" if run.record.verified else "unverified (an older lcbench wrote them, without a checksum)"


def _summary(counts: Counter[str], folder: str) -> str:
    parts = ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
    return f"{counted(counts.total(), 'run')} in '{folder}'" + (f": {parts}." if parts else ".")

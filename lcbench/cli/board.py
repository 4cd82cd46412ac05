"""`lcbench board`: builds a page that ranks the methods of submissions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.help import argument, examples, group, option
from lcbench.cli.messages import say
from lcbench.cli.run_options import Debug
from lcbench.cli.submit import NOT_PROVEN, check_folder, known_verification
from lcbench.errors import DataUnavailableError, LcbenchError, ParameterError
from lcbench.printable import byte_size, counted, printable_line, shortened
from lcbench.reading import is_folder

if TYPE_CHECKING:
    from lcbench.submission.checking import Checked, Submission

PAGE, CSV, JSON = "index.html", "board.csv", "board.json"
REFUSED = 1


def build_board_app() -> typer.Typer:
    """Builds the group `lcbench board` with its command."""
    return group(_board, build=build)


EXAMPLES = (
    ("lcbench board build submission", "A page with the methods of one submission, in site/index.html."),
    ("lcbench board build submissions/* --out board", "Rank the methods of all submissions in a folder."),
    ("lcbench board build ours theirs && xdg-open site/index.html", "Rank those of two, and look at the page."),
)


@examples(*EXAMPLES)
def _board() -> None:
    """Rank the methods of submissions on a page."""


@examples(*EXAMPLES)
def build(
    folder: Annotated[list[Path], argument("The folders of submissions.", "DIR")],
    out: Annotated[Path, option("--out -o", "The folder to write.", "DIR")] = Path("site"),
    debug: Debug = False,
) -> None:
    """Check submissions, and write a page that ranks their methods.

    Every submission is checked first, as 'lcbench submit check' does; one that is refused is named and left out, and
    the exit code is 1; it is 3 if only data are not available. Writes index.html, board.csv and board.json.
    """
    for each in folder:
        if not is_folder(each):
            raise ParameterError(f"There is no folder '{each}': name the folders of submissions.")
    passed: dict[str, Submission] = {}
    codes = set()
    for each in folder:
        submission, code = _passed(each)
        codes.add(code)
        if submission is not None and submission.id in passed:
            say(printable_line(f"{each}: the same submission as {passed[submission.id].folder}; it counts once."))
        elif submission is not None:
            passed[submission.id] = submission
    if passed:
        _write(list(passed.values()), out)
    else:
        say("No submission is left: nothing was written.")
    if codes != {0}:
        raise typer.Exit(REFUSED if REFUSED in codes else DataUnavailableError.exit_code)


def _passed(folder: Path) -> tuple[Submission | None, int]:
    """A submission without a fault; or None, after a sentence on why it is left out, and the exit code for that."""
    try:
        checked = check_folder(folder)
        if checked.scored:
            return checked.submission, 0
        why, faulty = _why(checked, folder), bool(checked.faults)
    except LcbenchError as error:
        why, faulty = str(error), not isinstance(error, DataUnavailableError)
    print(shortened(printable_line(f"Left out {folder}: {why.rstrip('.')}.")))
    return None, REFUSED if faulty else DataUnavailableError.exit_code


def _why(checked: Checked, folder: Path) -> str:
    faults = checked.faults
    if not faults:
        told = checked.not_scored.items()
        return "; ".join(f"scores of {counted(n, 'run')} not computed again: {why}" for why, n in told)
    return faults[0] + (f"; 'lcbench submit check {folder}' names all {len(faults)} faults" if len(faults) > 1 else "")


def _write(submissions: list[Submission], out: Path) -> None:
    from lcbench.experiment.rescoring import NotRescoredError, Rescoring
    from lcbench.report.board.files import board_csv, board_json
    from lcbench.report.board.page import render_board
    from lcbench.submission.entries import entries_of
    from lcbench.submission.standings import make_boards
    from lcbench.writing import make_folder, write_whole

    verifications = {each.id: known_verification(each) for each in submissions}
    with Rescoring() as rescoring:
        try:
            boards = make_boards(entries_of(submissions, verifications, rescoring))
        except NotRescoredError as error:
            raise DataUnavailableError(f"A failed run cannot be counted as one cluster: {error}.") from None
    page = render_board(boards).encode("utf-8")
    make_folder(out)
    write_whole(out / CSV, board_csv(boards).encode("utf-8"))
    write_whole(out / JSON, board_json(boards).encode("utf-8"))
    write_whole(out / PAGE, page)
    for board in boards:
        methods = counted(len(board.standings), "method")
        print(printable_line(f"{board.title}: {methods} on {counted(len(board.streams), 'stream')}"))
    print(printable_line(f"{out / PAGE}: {byte_size(len(page))}, with {CSV} and {JSON}; open it in a browser"))
    say(f"{NOT_PROVEN}; the page says so, and the level of each method.")

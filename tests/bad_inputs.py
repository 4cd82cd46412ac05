"""Calls lcbench with bad inputs made from a seed, and holds every answer against the promises of the command line.

`python tests/bad_inputs.py 1500 [SEED]` makes 1,500; a test makes a sample of them. None may show a traceback, take
longer than 30 seconds, end with another exit code than its case allows, or say more than a few lines about a fault.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent / "shared"))

import typer.main
from bad_cases import Case, cases

LONGEST = 30  # seconds
MOST_LINES, LONGEST_LINE = 12, 3_000
WRONG = re.compile(r"Traceback \(most recent call last\)|should not happen|Exception ignored|Segmentation|object at 0x")


class Answer(NamedTuple):
    code: int
    out: str
    err: str


class TooLongError(BaseException):
    """Raised in a command that takes too long."""


def answer_to(case: Case, folder: Path) -> Answer | None:
    """Calls the command in an empty folder; None if it takes too long."""
    with _in(folder, case.environment):
        case.prepare()
        try:
            return _process(case) if case.shell else _here(case)
        except (TooLongError, subprocess.TimeoutExpired):
            return None


def fault(case: Case, answer: Answer | None) -> str | None:
    """A sentence if something is wrong with the answer to a case."""
    if answer is None:
        return f"took longer than {LONGEST} s"
    if answer.code not in case.codes:
        return f"exit code {answer.code}, not one of {sorted(case.codes)}: {answer.err[-400:]!r}"
    if found := WRONG.search(answer.err + answer.out):
        return f"says {found[0]!r}: {answer.err[-400:]!r}"
    if answer.code in (2, 3) and not answer.err.strip() and "2>&-" not in case.shell:
        return f"ends with {answer.code} and says nothing"
    lines = answer.err.splitlines()
    if answer.code == 2 and (len(lines) > MOST_LINES or max(map(len, lines), default=0) > LONGEST_LINE):
        return f"says {len(lines)} lines, the longest of {max(map(len, lines))} characters"
    if any(ord(c) < 32 and c not in "\n\t" for c in answer.err):
        return f"a control character: {answer.err[:400]!r}"
    return None


@contextlib.contextmanager
def _in(folder: Path, environment: dict[str, str]) -> Iterator[None]:
    before, place = dict(os.environ), Path.cwd()
    os.chdir(folder)
    os.environ.update({"LCBENCH_OFFLINE": "1", "COLUMNS": "100", **environment})
    os.environ.pop("LCBENCH_DATA", None) if "LCBENCH_DATA" not in environment else None
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        os.chdir(place)


def _here(case: Case) -> Answer:
    """Calls the command in this process; runs are carried out in it too."""
    from lcbench.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    arguments, sys.argv = sys.argv, ["lcbench", *case.arguments]
    handler = signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(LONGEST)
    code = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        sys.argv = arguments
    texts = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err))
    return Answer(code, *texts)


def _too_long(*_: object) -> None:
    raise TooLongError


def _process(case: Case) -> Answer:
    command = shlex.join([sys.executable, "-m", "lcbench", *case.arguments])
    done = subprocess.run(
        ["bash", "-c", f"{command} {case.shell}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        timeout=LONGEST,
        check=False,
    )
    return Answer(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


@contextlib.contextmanager
def quick_calls() -> Iterator[None]:
    """Runs stay in this process, and typer reads the signatures of commands once. The logger is put back."""
    import lcbench.experiment.pipeline as pipeline
    from lcbench.running.executor import InProcess

    before, logger = (pipeline.executor_of, typer.main.get_params_from_function), logging.getLogger("lcbench")
    logging_before = logger.handlers, logger.level, logger.propagate
    pipeline.executor_of = lambda _: InProcess()
    typer.main.get_params_from_function = cache(typer.main.get_params_from_function)
    try:
        yield
    finally:
        pipeline.executor_of, typer.main.get_params_from_function = before
        logger.handlers, logger.level, logger.propagate = logging_before


def answers(count: int, seed: int, root: Path) -> Iterator[tuple[Case, Answer | None]]:
    """Every case with its answer, each in a folder of its own below `root`."""
    with quick_calls():
        for number, case in enumerate(cases(count, seed)):
            folder = root / str(number)
            folder.mkdir()
            yield case, answer_to(case, folder)


def check(count: int, seed: int, root: Path) -> tuple[Counter[int], list[str]]:
    """The number of answers by exit code, and a text for every fault."""
    codes: Counter[int] = Counter()
    faults = []
    for number, (case, answer) in enumerate(answers(count, seed, root)):
        codes[-1 if answer is None else answer.code] += 1
        said = fault(case, answer)
        if said is not None:
            words = [word if len(word) < 60 else f"{word[:20]}...({len(word)})" for word in case.arguments]
            faults.append(f"{number} {case.kind}: {words} {case.environment or ''} {case.shell}: {said}")
    return codes, faults


if __name__ == "__main__":
    begun = time.monotonic()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    with tempfile.TemporaryDirectory() as root:
        os.environ["LCBENCH_CACHE"] = str(Path(root, "cache"))
        codes, faults = check(count, seed, Path(root))
    print(*faults, sep="\n")
    print(
        f"seed {seed}: {count} bad inputs, exit codes {dict(codes)}, {len(faults)} faults, "
        f"{time.monotonic() - begun:.0f} s"
    )
    sys.exit(1 if faults else 0)

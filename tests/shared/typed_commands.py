"""Commands as they are typed: those of lcbench alone are called in this process, which has imported what they need."""

from __future__ import annotations

import io
import logging
import os
import re
import runpy
import shlex
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

FOR_A_SHELL = re.compile(r"[|;<>$`*~?#(){}\\]|&(?!&)|(?<!&)&|\n")
CHANGES_ITS_PROCESS = re.compile(r"--(plugin|executor|sealed|debug|\S+-completion)\b|lcbench (bench|doctor|check)\b")


def typed(line: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a line gives that is typed in a folder; runs have processes of their own all the same.

    A shell has it where it is more than commands of lcbench, one after the other, or if one of them loads code into its
    process, or measures it.
    """
    commands = [shlex.split(command) for command in line.split(" && ")] if not FOR_A_SHELL.search(line) else [[]]
    if CHANGES_ITS_PROCESS.search(line) or not all(words[:1] == ["lcbench"] for words in commands):
        return in_shell(line, folder, **variables)
    printed = said = ""
    for words in commands:
        done = called(words, folder, {**os.environ, **variables})
        printed, said = printed + done.stdout, said + done.stderr
        if done.returncode:
            break
    return subprocess.CompletedProcess(line, done.returncode, printed, said)


def in_shell(line: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """What bash gives, with the commands of this environment first; it ends with the first line that fails."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, **variables}
    return subprocess.run(["bash", "-ec", line], cwd=folder, env=environment, capture_output=True, text=True)


def called(words: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """What a command of lcbench gives in a folder and an environment; what it sets for its process is taken back."""
    log = logging.getLogger("lcbench")
    before = log.handlers, log.propagate, log.level
    output, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    code: object = None
    with (
        redirect_stdout(output), redirect_stderr(errors), chdir(folder), patch.object(sys, "argv", words),
        patch.dict(os.environ, environment, clear=True),
    ):  # fmt: skip
        try:
            runpy.run_module("lcbench", run_name="__main__")
        except SystemExit as end:
            code = end.code
        finally:
            log.handlers, log.propagate = before[:2]
            log.setLevel(before[2])
    output.flush()
    errors.flush()
    printed, said = (text.buffer.getvalue().decode() for text in (output, errors))
    return subprocess.CompletedProcess(words, int(code or 0), printed, said)

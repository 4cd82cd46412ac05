"""The commands that made the runs of a page, without the folders of the machine they ran on."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PureWindowsPath
from typing import NamedTuple

from lcbench.printable import counted
from lcbench.records.record import RunRecord
from lcbench.registry.names import parse_stream_entry


class Commands(NamedTuple):
    """Command lines, and notes on the runs that they do not make."""

    lines: tuple[str, ...]
    notes: tuple[str, ...]


def run_commands(runs: Sequence[RunRecord]) -> Commands:
    """The commands of runs, each once. A folder in them keeps its name alone, so that no home folder is published."""
    lines = dict.fromkeys(without_places(run.command) for run in runs if run.command)
    silent = [run for run in runs if not run.command]
    note = (
        f"{counted(len(silent), 'run')} of {', '.join(dict.fromkeys(run.label for run in silent))} "
        f"{'has' if len(silent) == 1 else 'have'} no command: made from Python with objects, or by lcbench 0.1."
    )
    return Commands(tuple(lines), (note,) if silent else ())


def without_places(command: str) -> str:
    """A command in which a folder keeps its name alone."""
    words = shlex.split(command)
    cut = [_without_place(word) if before == "--stream" else word for before, word in pairwise(words)]
    return shlex.join([*words[:1], *cut])


def _without_place(stream: str) -> str:
    entry = parse_stream_entry(stream)
    folder = PureWindowsPath(entry.name)  # splits at both separators
    if not entry.is_path or len(folder.parts) < 2:  # "./news" says nothing about its place
        return stream
    alias = "" if entry.alias is None else f"{entry.alias}="
    return f"{alias}.../{folder.name}{stream.strip()[len(alias) + len(entry.name) :]}"

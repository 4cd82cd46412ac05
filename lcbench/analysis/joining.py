"""Joins the selections of several results folders, to compare what they hold.

A method whose runs are not the same in all folders is told apart by the folder; runs that are the same count once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from lcbench.analysis.selection import MethodRuns, Selection, StreamRuns, grouped
from lcbench.records.record import RunRecord

Found = tuple[str, MethodRuns]  # the name of a folder, and a method's runs there


def join_selections(selections: Mapping[str, Selection]) -> Selection:
    """One selection of those of several folders, by the names that tell these apart.

    A run keeps the baseline and the solo runs of its own folder.
    """
    found = [(stream.label, (folder, stream)) for folder, each in selections.items() for stream in each.streams]
    streams = tuple(made for parts in grouped(found).values() for made in _joined(parts))
    notes = tuple(f"{folder}: {note}" for folder, each in selections.items() for note in each.notes)
    by_id = {run_id: run for each in selections.values() for run_id, run in each.by_id.items()}
    homes = {id(run): each.by_id for each in selections.values() for run in each.runs}
    return Selection(streams, by_id, notes, homes)


def short_names(folders: Sequence[str]) -> list[str]:
    """The last part of each path, or the whole paths if these do not tell the folders apart."""
    last = [PurePath(folder).name for folder in folders]
    return last if len({*last, ""}) == len(last) + 1 else list(folders)


def _joined(parts: Sequence[tuple[str, StreamRuns]]) -> list[StreamRuns]:
    """The stream of one label; or one per folder, where these hold other data or tasks under that label."""
    kinds = grouped((_data(stream), (folder, stream)) for folder, stream in parts)
    if len(kinds) > 1:
        return [replace(stream, label=f"{stream.label} ({folder})") for folder, stream in parts]
    methods = grouped((method.label, (folder, method)) for folder, stream in parts for method in stream.methods)
    made = [method for found in methods.values() for method in _told_apart(found)]
    return [replace(parts[0][1], methods=tuple(made))]


def _data(stream: StreamRuns) -> tuple[object, ...]:
    run = stream.methods[0].runs[0]
    return (stream.tasks, run.stream, run.stream_digest, repr(sorted(run.stream_params.items())))


def _told_apart(found: Sequence[Found]) -> list[MethodRuns]:
    """The method once if its runs are the same in all folders that have it, else once per folder."""
    if len({frozenset(map(_content, method.runs)) for _, method in found}) == 1:
        return [found[0][1]]
    return [replace(method, label=f"{method.label} ({folder})") for folder, method in found]


def _content(run: RunRecord) -> tuple[str, str, str | None, str]:
    return (run.run_id, run.status, run.labels_digest, repr(sorted(run.scores.items())))

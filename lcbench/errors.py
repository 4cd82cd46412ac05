"""The errors lcbench raises, with their exit codes; and "Did you mean ...?" hints."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable

_MOST_LISTED = 12


class LcbenchError(Exception):
    """Base of every error whose message is one sentence for the user. The command line ends with `exit_code`."""

    exit_code = 2


class UnknownNameError(LcbenchError):
    """A name of a method, stream, metric, plugin or folder that does not exist."""


class ParameterError(LcbenchError):
    """A parameter that does not exist, or a value that it does not take."""


class OrderError(LcbenchError):
    """An order of tasks that does not fit the stream."""


class InvalidTaskError(LcbenchError):
    """Data that cannot be a clustering task."""


class OutputError(LcbenchError):
    """A place where results cannot be written."""


class DiskFullError(OutputError):
    """A disk that took no more while results were written."""

    exit_code = 1


class ExperimentFileError(LcbenchError):
    """An experiment file that cannot be read or used: a line for each fault."""


class SuiteError(LcbenchError):
    """A suite whose file is wrong, or that cannot be run with what is installed."""


class SubmissionError(LcbenchError):
    """A submission that cannot be packed, read or verified."""


class RecordError(LcbenchError):
    """A file that is not the record of a run, or not its labels.

    If `newer` is true, a later version of lcbench wrote it; if `missing` is true, the file is not there.
    """

    def __init__(self, message: str, *, newer: bool = False, missing: bool = False) -> None:
        super().__init__(message)
        self.newer = newer
        self.missing = missing


class PluginError(LcbenchError):
    """A plugin that could not be loaded or registered."""


class StreamError(PluginError):
    """A stream whose code raised an error, or made something else than tasks: its runs fail, others go on."""

    exit_code = 1


class MissingExtraError(LcbenchError):
    """An optional package that is not installed."""


class ClusterError(LcbenchError):
    """A cluster that is not there, lacks something, or went away."""


class DataUnavailableError(LcbenchError):
    """Data of `stream` that are not available; `stand_in` is a stream to offer the user instead."""

    exit_code = 3
    stream: str | None = None
    stand_in: str | None = None


class DataRefusedError(DataUnavailableError):
    """Data that were found but are damaged, altered or unsafe: they are not used."""


class RunFailedError(LcbenchError):
    """A run that failed before its end."""

    exit_code = 1


class UnsuitableTaskError(RunFailedError, ValueError):
    """A task that a method cannot handle; the message says why and what to do."""


class UnknownTaskError(RunFailedError):
    """`predict` was asked for a task that the method never learned and cannot encode."""


class ContractError(RunFailedError):
    """A method that broke the contract of `Clusterer`: a bug in its plugin."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """' Did you mean ...?' for a name that is close to a known one, else the list of all known names."""
    known = sorted(known)
    similarity = {k: difflib.SequenceMatcher(None, name.lower(), k.lower()).ratio() for k in known}
    best = max(similarity.values(), default=0.0)
    if best >= 0.6:
        return f" Did you mean {_either([k for k in known if similarity[k] >= best - 0.02])}?"
    if not known:
        return ""
    return f" There is {', '.join(known)}."


def suggestion(name: str, known: Collection[str]) -> str:
    """As `did_you_mean`, but empty if no name is close and the list of known names is long."""
    hint = did_you_mean(name, known)
    return hint if hint.startswith(" Did you mean") or len(known) <= _MOST_LISTED else ""


def _either(names: list[str]) -> str:
    quoted = [f"'{n}'" for n in dict.fromkeys(names)]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def error_text(error: BaseException) -> str:
    """The message of an error of somebody else's code, which may not even have one."""
    try:
        return str(error)
    except BaseException:
        return "it has no text"

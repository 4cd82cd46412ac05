"""Shell completion: names, parameters and their values, and what stored runs are called.

Nothing is said of errors here: there is no place for a message while somebody types.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lcbench.contract.specs import Param
from lcbench.errors import LcbenchError
from lcbench.records import DEFAULT_FOLDER
from lcbench.registry.names import format_value

INSTRUCTION = "_LCBENCH_COMPLETE"  # what typer's scripts set
BREAKS = re.compile("[:=]+")  # where bash cuts words that we do not
OPTION = re.compile(r"-\D")
LONGEST_HELP = 70  # characters of the line about a word
Found = Iterator[tuple[str, str]]


def complete() -> None:
    """Answers the shell. Bash cuts `l2sc:lam=` into words: they are joined before, and the answer is cut after."""
    from lcbench.cli.app import build_app

    logging.getLogger("lcbench").handlers = [logging.NullHandler()]
    os.environ["COLUMNS"] = "1000"  # typer must not break lines about words: each line is a word to the shell
    given = "" if os.environ[INSTRUCTION] != "complete_bash" else _join_words(os.environ)
    answer = io.StringIO()
    code: Any = 0
    try:
        with contextlib.redirect_stdout(answer):
            build_app()(standalone_mode=False, prog_name="lcbench")
    except SystemExit as end:
        code = end.code
    lines = answer.getvalue().splitlines()
    print("\n".join(line.removeprefix(given) for line in lines))
    sys.exit(code)


def _join_words(environment: Any) -> str:
    """Joins words that bash cut at colons and equals signs; returns what of the last word bash does not replace."""
    cut = environment.get("COMP_WORDS", "").split("\n")[: int(environment.get("COMP_CWORD", "0")) + 1]
    joined: list[str] = []
    after_break = False
    for word in cut:
        is_break = BREAKS.fullmatch(word) is not None
        goes_on = is_break or (after_break and word and not OPTION.match(word))
        if joined and goes_on:
            joined[-1] += word
        else:
            joined.append(word)
        after_break = is_break
    environment["COMP_WORDS"] = "\n".join(joined)
    environment["COMP_CWORD"] = str(len(joined) - 1)
    whole, last = joined[-1], cut[-1]
    value = whole.partition("=")[2] if whole.startswith("--") else whole
    return value if BREAKS.fullmatch(last) else value.removesuffix(last)


def words(kind: str, incomplete: str, typed: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The words of a kind that go on from what is typed, without regard to case, each with a line about it.

    `typed` are the other options of the command.
    """
    with contextlib.suppress(LcbenchError, OSError):
        found = {word: help for word, help in _found(kind, incomplete, typed) if _begins(word, incomplete)}
        return [
            (incomplete + word[len(incomplete) :], textwrap.shorten(help, LONGEST_HELP, placeholder=" ..."))
            for word, help in found.items()
        ]
    return []


def _begins(word: str, start: str) -> bool:
    return word.casefold().startswith(start.casefold())


def _found(kind: str, incomplete: str, typed: Mapping[str, Any]) -> Found:
    """All words of a kind, each with a line about it."""
    from lcbench.registry.host import plugin_host, raw_data

    match kind:
        case "methods" | "streams" | "metrics":
            yield from _entries(kind, incomplete)
        case "anything":
            for catalogue in ("methods", "streams", "metrics"):
                yield from _entries(catalogue, incomplete)
        case "grids":
            yield from _grids(incomplete)
        case "suites":
            yield from ((suite.name, suite.summary) for suite in plugin_host().registry.suites)
        case "published":
            yield from ((s.name, s.summary) for s in plugin_host().registry.streams if s.published is not None)
        case "data":
            yield from ((name, "") for name in raw_data())
        case "figures":
            from lcbench.report.figures.kind import figure_kinds

            yield from ((figure.name, figure.summary) for figure in figure_kinds())
        case "formats":
            from lcbench.report.sheets.formats import FORMATS

            yield from ((name, "") for name in FORMATS)
        case "orders":
            from lcbench.experiment.orders import ORDERS

            yield from ((name, order.help) for name, order in ORDERS.items())
        case "rules":
            from lcbench.experiment.tuning import NONE, RULES

            yield from ((name, rule.sees) for name, rule in RULES.items())
            yield NONE, "every point as a method of its own"
        case "audits":
            from lcbench.audit.verdict import MODES

            yield from ((mode, "") for mode in MODES)
        case "executors":
            yield from (("local", "this machine"), ("dask", "a Dask cluster"))
        case "statuses":
            from lcbench.records.record import STATUSES

            yield from ((status, "") for status in STATUSES)
        case _:
            yield from _stored(kind, incomplete, typed.get("results") or DEFAULT_FOLDER)


def _entries(catalogue: str, incomplete: str) -> Found:
    """Completes `[alias=]NAME[:key=value,...]` for the names of a catalogue."""
    from lcbench.data.transforms import with_transform
    from lcbench.registry.host import plugin_host

    specs = getattr(plugin_host().registry, catalogue)
    before, colon, params = incomplete.partition(":")
    alias, equals, name = before.rpartition("=")
    start = alias + equals
    if not colon:
        yield from ((f"{start}{spec.name}", spec.summary) for spec in specs)
        return
    spec = specs.get(name)
    if spec is not None:
        known = with_transform(spec).params if catalogue == "streams" else spec.params
        for word, help in _params(known, params):
            yield f"{start}{name}:{word}", help


def _params(known: Sequence[Param], typed: str) -> Found:
    """Completes `key=value,key=value`; a key that is the only one comes with its values."""
    before, comma, last = typed.rpartition(",")
    key, equals, _ = last.partition("=")
    used = {pair.partition("=")[0].strip() for pair in before.split(",")}
    fitting = [param for param in known if param.name not in used and _begins(param.name, key)]
    if equals:
        fitting = [param for param in fitting if param.name == key]
    for param in fitting:
        yield f"{before}{comma}{param.name}=", param.help
        if len(fitting) == 1:
            for value, help in _values(param):
                yield f"{before}{comma}{param.name}={value}", help


def _values(param: Param) -> Found:
    """The values that a parameter is known to take: its default, and words."""
    default = format_value(param.default)
    listed = [default, *(("true", "false") if param.type is bool else param.choices)]
    listed += ["none"] * param.optional
    for value in dict.fromkeys(listed):
        yield value, "the default" if value == default else ""


def _grids(incomplete: str) -> Found:
    """Completes `METHOD.param=NAME`."""
    from lcbench.registry.host import plugin_host

    for spec in plugin_host().registry.methods:
        for param in spec.params:
            yield f"{spec.name}.{param.name}=", param.help
            if _begins(incomplete, f"{spec.name}.{param.name}="):
                for name, values in param.grids.items():
                    yield f"{spec.name}.{param.name}={name}", ",".join(map(format_value, values))


def _stored(kind: str, incomplete: str, folder: str) -> Found:
    """Completes what the runs in a results folder are called."""
    from lcbench.cli.stored_runs import SHORT, open_store

    for run_id, entry in open_store(folder).index().newest_first():
        if kind == "stored runs":
            yield run_id[: max(SHORT, len(incomplete))], f"{entry.label} on {entry.stream_label}"
        else:
            names = {
                "stored methods": (entry.label, entry.method),
                "stored streams": (entry.stream_label, entry.stream),
                "stored names": entry.experiments,
            }
            yield from ((name, "") for name in names[kind])

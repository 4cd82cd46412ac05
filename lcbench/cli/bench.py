"""`lcbench bench`: times methods side by side on whole streams."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.help import WHAT, examples, option
from lcbench.cli.messages import say
from lcbench.cli.run_options import Debug, Plugins, Quiet, option_of
from lcbench.errors import ParameterError, UnknownNameError
from lcbench.printable import printable_line

if TYPE_CHECKING:
    from lcbench.report.sheets.sheet import Sheet
    from lcbench.testing.timing import Failed, Timed

BASELINE = "stsc"
METHODS = ("stsc", "l2sc", "cpsc")
FILE = "lcbench-bench.json"


@examples(
    ("lcbench bench -m l2sc -s digits", "One method beside stsc and scikit-learn, in CPU seconds."),
    ("lcbench bench -m l2sc -m cpsc --rounds 10 --out before.json", "Ten rounds, kept in a file of that name."),
    ("lcbench bench -m l2sc --compare before.json", "The times of now beside those of then."),
)
def bench(
    method: Annotated[
        list[str] | None,
        option_of(
            "methods",
            shown=", ".join(METHODS),
            help=f"A method to time, with parameters as in l2sc:lam=10; {BASELINE} and scikit-learn's "
            "SpectralClustering are timed beside it. May be repeated.",
        ),
    ] = None,
    stream: Annotated[
        list[str] | None, option_of("streams", shown="digits", help="A stream to learn. May be repeated.")
    ] = None,
    rounds: Annotated[int, option("--rounds", "How often each learns each stream.", "N", group=WHAT, min=1)] = 5,
    compare: Annotated[
        Path | None, option("--compare", "An earlier file, whose times are shown beside those of now.", "FILE")
    ] = None,
    out: Annotated[Path, option("--out -o", "Where pytest-benchmark's JSON is kept.", "FILE")] = Path(FILE),
    plugin: Plugins = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Time methods side by side on whole streams.

    In CPU seconds and one thread; pytest-benchmark's file is kept, so that a later version of a method can be compared.
    Needs the extra bench: pip install 'lcbench[bench]'. The exit code is 1 if a method failed.
    """  # fmt: skip
    from lcbench.cli.console import print_sheets
    from lcbench.testing.timing import REFERENCE, Failed, Timed, read_timed, timed

    before = None if compare is None else read_timed(compare)
    methods = list(dict.fromkeys([*(method or METHODS), BASELINE]))
    streams = list(dict.fromkeys(stream or ["digits"]))
    _check(methods, streams)
    done: list[Timed] = []
    failed: list[Failed] = []
    try:
        for each in timed([*methods, REFERENCE], streams, rounds=rounds, kept=out, plugins=plugin or ()):
            if isinstance(each, Timed):
                done.append(each)
            elif isinstance(each, Failed):
                failed.append(each)
            elif not quiet:
                say(printable_line(each))
    finally:  # also where their file could not be written
        print_sheets([_sheet(name, done, before) for name in streams if any(each.stream == name for each in done)])
    if done:
        say(printable_line(f"kept in {out}: --compare {out} shows them beside later ones"))
    for each in failed:
        say(f"lcbench: {each.method} on {each.stream} failed: {each.reason}")
    if failed:
        raise typer.Exit(1)


def _check(methods: list[str], streams: list[str]) -> None:
    """Refuses names, parameters and data that are not there before anything is timed; fetches data as `run` does."""
    from lcbench.cli.progress import transfers_shown
    from lcbench.experiment.resolving import configured_methods, configured_streams
    from lcbench.registry.host import plugin_host
    from lcbench.registry.names import parse_entry

    for text in methods:
        alias = parse_entry(text).alias
        if alias is not None:
            raise ParameterError(f"lcbench bench shows methods as they are written: leave out '{alias}='.")
    configured_methods(methods, plugin_host().registry)
    with transfers_shown():
        for stream in configured_streams(streams):
            stream.tasks()


def _sheet(stream: str, done: list[Timed], before: list[Timed] | None) -> Sheet:
    from lcbench.report.runtime_table import runtime_sheet
    from lcbench.testing.timing import REFERENCE

    here = [each for each in done if each.stream == stream]
    return runtime_sheet(
        stream,
        {each.method: (each.seconds, each.spread) for each in here},
        rounds=here[0].rounds,
        baseline=BASELINE,
        reference=REFERENCE,
        paper=_paper(stream),
        before=None if before is None else {each.method: each.seconds for each in before if each.stream == stream},
    )


def _paper(stream: str) -> dict[str, str]:
    """The seconds that the paper prints for methods on a stream, by our names of them."""
    from lcbench.analysis.published.table import published_for
    from lcbench.registry.host import plugin_host
    from lcbench.registry.names import parse_entry

    try:
        published = published_for(stream, plugin_host().registry)
    except (UnknownNameError, ParameterError):
        return {}
    if published.runtime is None:
        return {}
    pairs = zip(published.methods.values(), published.runtime.seconds, strict=True)
    return {parse_entry(method.entry).name: figure.text for method, figure in pairs}

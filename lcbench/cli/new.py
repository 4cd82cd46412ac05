"""`lcbench new`: writes an installable package with a working method, stream or metric."""

from __future__ import annotations

import importlib.util
import keyword
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lcbench.cli.help import argument, examples
from lcbench.errors import OutputError, ParameterError
from lcbench.registry.names import NAME_RULE, is_name

TEMPLATES = Path(__file__).with_name("templates")
SUFFIX = ".txt"  # of templates, so that no tool takes them for source files
PACKAGE = "PACKAGE"


class Kind(StrEnum):
    """The kinds of packages."""

    METHOD = "method"
    STREAM = "stream"
    METRIC = "metric"


SUMMARIES = {
    Kind.METHOD: "k-means that starts from the centres of the task before",
    Kind.STREAM: "measurements of three years, from a CSV file",
    Kind.METRIC: "agreement of pairs of samples, as an F-measure",
}
TRIES = {
    Kind.METHOD: "lcbench run -m «name» -m stsc -s digits",
    Kind.STREAM: "lcbench run -m l2sc -m stsc -s «name»",
    Kind.METRIC: "lcbench run -m stsc -s digits --metric «name»",
}
CHANGES = {
    Kind.METHOD: "The method is `«package»/clusterer.py`; its parameters are described in `«package»/__init__.py`, "
    "which says the same\nas the constructor. Raise `revision` there when its labels change.",
    Kind.STREAM: "The data are `«package»/measurements.csv`, a row per sample. Put your own there, say in "
    "`«package»/__init__.py` which\ntasks they make, and let `lcbench check «name»` tell you the new digest.",
    Kind.METRIC: "The formula is in `«package»/metric.py`; `«package»/__init__.py` describes it.",
}


@examples(
    ("lcbench new method my-method", "A clustering method, in the folder my-method."),
    ("lcbench new stream my-data --into packages", "A stream of tasks, in the folder packages/my-data."),
    ("lcbench new metric my-score", "A metric."),
)
def new(
    kind: Annotated[Kind, argument("The kind of package.", "method|stream|metric", case_sensitive=False)],
    name: Annotated[str, argument("Its name, as in 'lcbench run -m NAME'.", "NAME")],
    into: Annotated[
        Path, typer.Option("--into", help="The folder in which the folder NAME is made.", metavar="DIR")
    ] = Path(),
) -> None:
    """Write a package with a method, stream or metric of your own.

    It can be installed, works as it is, and has tests that check it: change it step by step into what you have in mind.
    """
    package = _package_name(kind.value, name)
    folder = into / name
    files = package_files(kind, name, package)
    _write(folder, files)
    from lcbench.printable import printable

    path = folder if folder.is_absolute() else f"./{folder}"  # pip takes a bare name for that of a distribution
    lines = [f"{folder}:", *(f"  {file}" for file in sorted(files)), "Next:", f"  pip install -e '{path}[test]'"]
    lines += [f"  lcbench check {name}", f"  {TRIES[kind].replace('«name»', name)}", f"  pytest {folder}"]
    print(printable("\n".join(lines)))


def package_files(kind: Kind, name: str, package: str) -> dict[str, str]:
    """The files of a package by their path in it."""
    summary = SUMMARIES[kind]
    words = {
        "what_to_change": CHANGES[kind], "try": TRIES[kind], "name": name, "package": package, "kind": kind.value,
        "Class": "".join(part.capitalize() for part in package.split("_")), "summary": summary,
        "Summary": summary[0].upper() + summary[1:],
    }  # fmt: skip
    files = {}
    for template in sorted(path for part in ("any", kind.value) for path in (TEMPLATES / part).rglob(f"*{SUFFIX}")):
        text = template.read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(f"«{word}»", value)
        path = template.relative_to(TEMPLATES).as_posix().partition("/")[2].removesuffix(SUFFIX)
        files[path.replace(PACKAGE, package)] = text
    return files


def _package_name(kind: str, name: str) -> str:
    """The name of the Python package for a name; ParameterError if either is taken or cannot be used."""
    from lcbench.registry.host import plugin_host

    if not is_name(name):
        raise ParameterError(f"'{name}' cannot be the name of a {kind}: {NAME_RULE}.")
    package = re.sub(r"[.-]", "_", name).lower()
    if not package.isidentifier() or keyword.iskeyword(package):
        raise ParameterError(f"'{name}' cannot be the name of a package: begin with a letter, take no word of Python.")
    catalogue = getattr(plugin_host().registry, f"{kind}s")
    if name in catalogue:
        raise ParameterError(f"The {kind} '{name}' is there already, from {catalogue.source(name)}: choose another.")
    if importlib.util.find_spec(package) is not None:
        raise ParameterError(f"A module '{package}' is installed already: choose another name.")
    return package


def _write(folder: Path, files: dict[str, str]) -> None:
    """Writes the files into a new or empty folder; OutputError if it is not, or cannot be written to."""
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise OutputError(f"'{folder}' is there already: choose another name, or another folder by --into.")
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"'{error.filename}' cannot be written ({error.strerror}).") from error

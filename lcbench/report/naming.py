"""Names as papers print them: `l2sc` becomes L²SC, `nmi` NMI, in tables and figures.

They come from the specs that plugins register, and a user may give others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from lcbench.analysis.compare import MethodComparison
from lcbench.analysis.selection import Selection
from lcbench.errors import ParameterError, did_you_mean
from lcbench.reading import is_file
from lcbench.registry.host import plugin_host

Texts = TypeVar("Texts", bound=Any)


class Naming:
    """Replaces names in texts, each as a whole: `nmi` in `nmi (%)`, and not in `nmi-2`."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = {name: shown for name, shown in names.items() if name and name != shown}
        longest_first = sorted(self.names, key=len, reverse=True)
        either = "|".join(map(re.escape, longest_first))
        # not within a word, a path, a formula's id or the name of another variant such as `l2sc:lam=10`
        self._found = re.compile(rf"(?<![\w./=-])(?:{either})(?![\w/-]|[.:=]\w)") if either else None

    def text(self, text: str) -> str:
        """The text with every name replaced."""
        return text if self._found is None else self._found.sub(lambda found: self.names[found[0]], text)

    def apply(self, value: Texts, keep: Collection[str] = ()) -> Texts:
        """The same table or chart with every text in it replaced, but for those of the fields to `keep`."""
        if isinstance(value, str):
            return cast(Texts, self.text(value))
        if isinstance(value, tuple):
            return cast(Texts, tuple(self.apply(each, keep) for each in value))
        if is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in fields(value) if field.name not in keep]
            return cast(Texts, replace(value, **{name: self.apply(getattr(value, name), keep) for name in names}))
        return value


def paper_names(labels: Iterable[str], given: Mapping[str, str] | None = None) -> Naming:
    """The names to print for the labels of methods and streams and the keys of metrics; those `given` come first.

    Where two labels would get one name, both keep theirs.
    """
    shown = {label: name for label in dict.fromkeys(labels) if (name := _display(label)) != label}
    counts = Counter([*shown.values(), *(label for label in labels if label not in shown)])
    return Naming({label: name for label, name in shown.items() if counts[name] == 1} | dict(given or {}))


def naming_of(
    found: Selection | MethodComparison,
    metrics: Sequence[str],
    given: Mapping[str, str] | Iterable[str],
    *,
    paper: bool,
) -> Naming:
    """The names to print for what was found: those that were given, and for a paper those of the specs."""
    labels = labels_of(found, metrics)
    own = given if isinstance(given, Mapping) else read_names(given, [*labels, *tasks_of(found)])
    return paper_names(labels, own) if paper else Naming(own)


def labels_of(found: Selection | MethodComparison, metrics: Iterable[str]) -> list[str]:
    """The labels of all streams, methods and baselines that are shown or spoken of, and the keys of these metrics."""
    labels = [stream.label for stream in found.streams]
    labels += [method.label for stream in found.streams for method in stream.methods]
    if isinstance(found, Selection):
        labels += [run.label for run in found.by_id.values() if run.label]
    else:
        labels += [method.baseline for stream in found.streams for method in stream.methods if method.baseline]
    return list(dict.fromkeys([*labels, *metrics]))


def tasks_of(found: Selection | MethodComparison) -> list[str]:
    """The names of all tasks of the streams that are shown."""
    return list(dict.fromkeys(task for stream in found.streams for task in stream.tasks))


def read_names(given: Iterable[str], known: Sequence[str]) -> dict[str, str]:
    """Names to print from texts `name=Text`, or from files that have one of these per line.

    In a file, empty lines and those that start with # are left out, and a name may be one of another table; one that is
    given by itself must be `known`. `stsc` also means `stsc:metric=euclidean`, if that is the only one called so.
    """
    found: dict[str, str] = {}
    for text in given:
        lines = Path(text).read_text(encoding="utf-8").splitlines() if is_file(text) else [text]
        for pair in (line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")):
            named = max((name for name in known if pair.startswith(f"{name}=")), key=len, default=None)
            name, equals, shown = pair.partition("=") if named is None else (named, "=", pair[len(named) + 1 :])
            if not (name.strip() and equals and shown.strip()):
                what = f"'{pair}' in '{text}'" if is_file(text) else f"'{text}', which is no file"
                raise ParameterError(f"--names takes name=Text, or a file with such a line per name, not {what}.")
            variants = [] if named is not None else [label for label in known if _begins(label, name.strip())]
            if len(variants) > 1 and not is_file(text):
                raise ParameterError(f"--names: '{name}' may be {' or '.join(variants)} here: write all of it.")
            if named is None and not variants and not is_file(text):
                raise ParameterError(f"--names: nothing here is called '{name}'.{did_you_mean(name, known)}")
            found[variants[0] if len(variants) == 1 else name.strip()] = shown.strip()
    twice = next((shown for shown, count in Counter(found.values()).items() if count > 1), None)
    if twice is not None:
        both = " and ".join(f"'{name}'" for name, shown in found.items() if shown == twice)
        raise ParameterError(f"--names calls {both} '{twice}': give each a name of its own.")
    return found


def _begins(label: str, name: str) -> bool:
    """True if a label is a name with parameters, the id of its data or what tells it from another of that name."""
    return re.match(rf"{re.escape(name)}(?=[:@]| \()", label) is not None


def _display(label: str) -> str:
    """The name that a spec has for a label: of `l2sc:lam=1,mu=2` it is `L²SC (lam=1, mu=2)`."""
    name, colon, params = label.partition(":")
    registry = plugin_host().registry
    specs = (held.get(name) for held in (registry.methods, registry.streams, registry.metrics))
    found = next((spec for spec in specs if spec is not None), None)
    shown = found.display if found is not None and found.display else name
    return f"{shown} ({re.sub(',(?=[^ ])', ', ', params)})" if colon and shown != name else shown + colon + params

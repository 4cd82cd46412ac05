"""Makes bad inputs from a seed: options, experiment files, folders of data, damaged results, environment variables.

A case has the arguments of a command, files that are written before it, and the exit codes that it may end with. Where
any value of an option may turn out to be right, 0 is among them.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import typer.main
from making import make_record, make_results

from lcbench.cli.app import build_app
from lcbench.experiment.options import OPTIONS

REFUSED, ANY = frozenset({2}), frozenset({0, 2})
OFFLINE = {"LCBENCH_OFFLINE": "1"}
TEXTS = (
    "", " ", "\t", "\n", "\x1b[31m", "\x07\x08", "é", "数", "\u202e", "x" * 10_000, "x " * 5_000, "'", '"', "''",
    "..", "-", "--", "=", ":", ",", ",,", "a:b=c", "a=", "=a", "%s", "{}", "{0}", "\\", "$(id)", "nan", "inf",
    "-inf", "-1", "0", "00", "1e400", "-1e400", "9" * 30, "9" * 5_000, "1.5", "1e-400", "none", "true", "[]",
    "[red]", "\udcff", "/", ".", "~", "~nobody", "l2sc", "digits", "purity", "l2sc:lam=nan", "l2sc:lam=1e400",
    "digits:tasks=0", "digits:tasks=1e9", "topics:words=1e18", "topics:length=1e18", "digits:seed=9" + "9" * 400,
    "l2sc.lam=1", "l2sc.lam=", "l2sc.lam=nan", "every:0", "every:x", "task-1", "task-1,task-1", "random", "all",
    "1h", "0s", "1e999h", "0B", "1e999TB", "tcp://", "tcp://nowhere:1", "a.csv", "a.tex", "a/b/c.svg", "C:\\x",
    "http://localhost:1/x",
)  # fmt: skip
NUMBERS = (
    "", " ", "x", "nan", "inf", "1.5", "1e3", "-1", "0x10", "9" * 5_000, "--", "½", "1,2", "true",
)  # fmt: skip
PLACES = (
    "missing", "folder", "pipe", "loop", "binary", "empty", "folder/../missing", "binary/below", "/dev/zero",
    "/dev/null", "/dev/full", "/proc/self/mem", "y" * 300, "n/" * 3_000, "pipe.toml", "zero.toml", "binary.py",
    "pipe.py", "wrong.py",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A call of the command line that must end with one of `codes`; `prepare` writes files into the working folder."""

    kind: str
    arguments: tuple[str, ...]
    codes: frozenset[int] = ANY
    prepare: Callable[[], object] = lambda: None
    environment: dict[str, str] = field(default_factory=dict)
    shell: str = ""  # what stands behind the command, for a process of its own


def cases(count: int, seed: int) -> Iterator[Case]:
    """So many cases, the same for a seed."""
    chance = random.Random(seed)
    verbs = list(_verbs())
    kinds = {option_case: 45, experiment_file: 22, data_folder: 14, results_folder: 10, environment: 7, process: 2}
    for make in chance.choices(list(kinds), list(kinds.values()), k=count):
        yield make(chance, verbs)


# ------------------------------------------------------------------ options

SOUND = {
    "run": ("--dry-run", "-m", "one-cluster", "-s", "digits:tasks=2"), "reproduce": ("webkb4", "--dry-run"),
    "results show": ("abcdef",), "results export": ("-",), "plot": ("lifelong", "-o", "drawn"), "info": ("l2sc",),
    "data fetch": ("webkb4",), "data remove": ("webkb4",), "new": ("method", "my-method"),
}  # fmt: skip
NEVER_ALONE = ("check", "doctor")  # they take seconds where nothing is wrong


def _verbs() -> Iterator[tuple[str, list[Any]]]:
    """Every command with its options and arguments."""

    def inside(command: Any, name: str) -> Iterator[tuple[str, list[Any]]]:
        if hasattr(command, "commands"):
            for part, below in command.commands.items():
                yield from inside(below, f"{name} {part}".strip())
        else:
            yield name, list(command.params)

    return inside(typer.main.get_command(build_app()), "")


def write_places() -> None:
    """What lies at the places that are named instead of files: folders, pipes, devices, links in a circle."""
    Path("folder").mkdir()
    for pipe in ("pipe", "pipe.toml", "pipe.py"):
        os.mkfifo(pipe)
    Path("zero.toml").symlink_to("/dev/zero")
    Path("loop").symlink_to("loop")
    Path("empty").touch()
    for binary in ("binary", "binary.py"):
        Path(binary).write_bytes(bytes(range(256)))
    Path("wrong.py").write_text("def (:\n")
    make_results(make_record("l2sc", [[0.5, None], [0.6, 0.8]]), make_record("stsc", [[0.4, None], [0.5, 0.7]]))


def option_case(chance: random.Random, verbs: list[tuple[str, list[Any]]]) -> Case:
    """A command with one or two wrong values."""
    verb, params = chance.choice([verb for verb in verbs if verb[1]])
    valued = [param for param in params if not getattr(param, "is_flag", False)]
    words: list[str] = []
    codes = ANY
    for param in chance.sample(valued, min(len(valued), chance.choice((1, 1, 1, 2)))):
        whole = param.metavar == "N"
        value = chance.choice(NUMBERS if whole else chance.choice((TEXTS, TEXTS, PLACES)))
        bad = whole and value != "-1"  # which is the seed of no run, or too small
        codes = REFUSED if bad else codes
        flag = next((opt for opt in param.opts if opt.startswith("--")), None)
        words += (
            [value] if param.param_type_name == "argument" else [f"{flag}={value}"] if flag else [param.opts[0], value]
        )
    if chance.random() < 0.08:
        words.append(chance.choice(("--no-such-option", "--" + "z" * 10_000, "-Z", "surplus", "--json=1")))
    named = any(param.param_type_name == "argument" for param in params) and any(not w.startswith("-") for w in words)
    sound = () if verb in SOUND and named and verb != "run" else SOUND.get(verb, ())
    if verb in NEVER_ALONE and codes is not REFUSED:
        words.append("--no-such-option")
        codes = REFUSED
    if verb.startswith("data") or verb == "reproduce":
        codes |= {3}
    codes |= {1} if verb in ("check", "results check") else set()
    return Case(f"option of {verb}", (*verb.split(), *sound, *words), codes, write_places)


# ------------------------------------------------------------------ files

VALUES = (
    "true", "-1", "0", "1.5", "nan", "inf", "1e400", "9" * 30, '""', '" "', '"\\u0000"', '"\\u001b[31m"', '"x"',
    '["x"]', "[]", "[[]]", "{}", "{ a = 1 }", "1979-05-27", "07:32:00", '["l2sc", 1]', f'"{"x" * 10_000}"',
    '"../.."', '"a.csv"', "[nan]", '{ "" = "x" }', '"l2sc:lam=x"', "'''\nx'''",
)  # fmt: skip
NEVER = ("nan", "inf", "-1", '"\\u0000"', "[[]]", "1979-05-27", "07:32:00", "[nan]")  # right for no key
BROKEN = (
    "=", "a = ", "[", "[[x]", 'a = "', "a = 1\na = 2", "\x00", "a.b = 1\na = 2", "[" * 5_000,
    "a = " + "[" * 5_000, "\ufeff\ufeff", "methods l2sc", "a = 0x", "# only a comment\n[run",
    "a = " + "9" * 5_000,
)  # fmt: skip


def experiment_file(chance: random.Random, _: Any) -> Case:
    """`lcbench run FILE` with values of a wrong type, unknown keys, or text that is no TOML."""
    lines = ['methods = ["one-cluster"]', 'streams = ["digits:tasks=2"]']
    key = chance.choice([*OPTIONS, "unknown", "grid.l2sc", "Methods"])
    value = chance.choice(VALUES)
    if chance.random() < 0.2:
        text = "\n".join([*lines, chance.choice(BROKEN)])
        codes = REFUSED
    else:
        kept = [line for line in lines if not line.startswith(f"{key} ")]
        text = "\n".join([*kept, f"{key} = {value}"])
        codes = REFUSED if value in NEVER or key in ("unknown", "Methods") else ANY
    content = text.encode("utf-16") if chance.random() < 0.05 else text.encode()
    command = ("run", "x.toml", "--dry-run")
    return Case(f"experiment file with {key}", command, codes, lambda: Path("x.toml").write_bytes(content))


# ------------------------------------------------------------------ folders of data

CELLS = ("", "x", "nan", "inf", "1,2", "1e999", "9" * 400, "\x1b", "1_0", "0x1", "-", "é" * 200, '"', '"""', " ")


def data_folder(chance: random.Random, verbs: Any) -> Case:
    """`lcbench run -s ./mine` with a file that cannot be data."""
    make = chance.choice((_table, _table, _arrays, _arrays, _parquet, _texts, _settings, _odd_entry))
    prepare, codes, suffix = make(chance)

    def write() -> None:
        Path("mine").mkdir()
        prepare()

    command = ("run", "-m", "one-cluster", "-s", f"./mine{suffix}", "--no-solo", "--quiet")
    return Case(f"data folder by {make.__name__}", command, codes, write)


Made = tuple[Callable[[], object], frozenset[int], str]


def _table(chance: random.Random) -> Made:
    rows = [["a", "b", "y"], *([str(chance.random()), str(i), "pq"[i % 2]] for i in range(8))]
    place = chance.randrange(9), chance.randrange(2)
    rows[place[0]][place[1]] = chance.choice(CELLS)
    if chance.random() < 0.4:
        rows[chance.randrange(9)] = ["1"] * chance.choice((0, 1, 2, 5, 1000))
    content = "\n".join(",".join(row) for row in rows).encode()
    if chance.random() < 0.3:
        content = chance.choice(
            (b"", b"\x00" * 100, b"\xff\xfe\x00", content[:5], content + b"\xff", b"a,a\n1,2", b"\n\n\n")
        )
    suffix = chance.choice((":label=y", ":label=y", ":label=Y", ":clusters=2", ":clusters=0", "", ":label=", ":x=1"))
    return lambda: Path("mine/a.csv").write_bytes(content), ANY, suffix


def _arrays(chance: random.Random) -> Made:
    X, y = np.arange(24.0).reshape(8, 3), np.arange(8) % 2
    parts = {"data": np.ones(2), "indices": np.array([0, 1]), "indptr": np.array([0, 1, 2]), "shape": np.array([2, 2])}
    bad: list[dict[str, Any]] = [
        {}, {"X": X}, {"y": y}, {"X": X, "y": y[:3]}, {"X": X[0], "y": y}, {"X": X * np.nan, "y": y},
        {"X": X * 1j, "y": y}, {"X": X.astype(str), "y": y}, {"X": X.astype(object), "y": y},
        {"X": X[:0], "y": y[:0]}, {"X": X[:, :0], "y": y}, {"X": X, "y": y[:, None]}, {"X": X, "y": y * np.nan},
        {"X": X, "y": y, "feature_names": np.array(["a", "a", "b"])},
        {"X": X, "y": y, "feature_names": np.array(["a"])}, parts | {"indices": np.array([0, 9])},
        parts | {"indptr": np.array([0, 9, 2])}, parts | {"shape": np.array([2, 10**9]), "y": y[:2]},
        parts | {"shape": np.array([10**12, 10**12])}, parts | {"shape": np.array([-1, 2])},
        parts | {"format": np.array("bsr")},
        {"row": [0], "col": [0], "data": [1.0], "shape": [10**12, 2], "format": np.array("coo")},
    ]  # fmt: skip
    chosen = chance.choice(bad)
    damage, place = chance.random(), chance.random()

    def write() -> None:
        np.savez("mine/a.npz", **chosen)
        content = Path("mine/a.npz").read_bytes()
        at = int(place * len(content))
        if damage < 0.15:
            Path("mine/a.npz").write_bytes(content[:at])
        elif damage < 0.3:
            Path("mine/a.npz").write_bytes(content[:at] + b"\xff\x00\xff" + content[at + 3 :])

    suffix = chance.choice(("", ":clusters=2", ":clusters=99")) if damage < 0.3 else ""
    # with a number of clusters data are fine where the damage hits what nobody reads, or hides labels that are bad
    fine = suffix == ":clusters=2" and "X" in chosen
    return write, ANY if fine else REFUSED, suffix


def _parquet(chance: random.Random) -> Made:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = chance.choice(
        [
            {"a": ["x", "y"]},
            {"a": [None, 1.0]},
            {"a": [[1], [2]]},
            {"": [1, 2]},
            {"a": []},
            {"a": [float("inf"), 1.0]},
            {},
        ]
    )
    cut = chance.choice((None, None, 0, 4, 40))

    def write() -> None:
        pq.write_table(pa.table(columns), "mine/a.parquet")
        if cut is not None:
            Path("mine/a.parquet").write_bytes(Path("mine/a.parquet").read_bytes()[:cut])

    return write, REFUSED, ""


def _texts(chance: random.Random) -> Made:
    text = chance.choice((b"", b"\xff\xfe", b"\xff", b"a b", b"\x00" * 50, b"the of and", b"word " * 3))
    where = chance.choice(("t/c/a.txt", "t/a.txt", "a.txt", "t/c/d/a.txt", "t/c/.a.txt"))

    def write() -> None:
        Path("mine", where).parent.mkdir(parents=True, exist_ok=True)
        Path("mine", where).write_bytes(text)

    return write, REFUSED, chance.choice(("", ":clusters=2", ":weighting=x"))


def _settings(chance: random.Random) -> Made:
    key = chance.choice(
        ("name", "what", "label", "clusters", "drop", "tasks", "text", "text.pattern", "text.encoding", "x")
    )
    toml = f"{key} = {chance.choice(VALUES)}\n" if chance.random() < 0.8 else chance.choice(BROKEN)

    def write() -> None:
        Path("mine/a.csv").write_text("a,b,y\n1,2,p\n3,1,q\n2,2,p\n")
        Path("mine/stream.toml").write_bytes(toml.encode())

    return write, ANY, ":label=y"


def _odd_entry(chance: random.Random) -> Made:
    name = chance.choice(("a.csv", "a.npz", "a.parquet", "stream.toml", "t/c/a.txt"))
    what = chance.choice(("pipe", "zero", "loop", "folder", "nowhere"))

    def write() -> None:
        path = Path("mine", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if what == "pipe":
            os.mkfifo(path)
        elif what == "folder":
            path.mkdir()
        else:
            path.symlink_to({"zero": "/dev/zero", "loop": path.name, "nowhere": "not-there"}[what])

    return write, REFUSED, ""


# ------------------------------------------------------------------ results, environment, processes


COMMANDS = (
    "results list", "results list --json", "compare", "plot lifelong", "results export -", "results show PREFIX",
    "report", "results remove --all --yes",
)  # fmt: skip


def results_folder(chance: random.Random, _: Any) -> Case:
    """A command on a results folder in which a file is damaged, or is something else."""
    command = chance.choice(COMMANDS)
    record = make_record("l2sc", [[0.5, None], [0.6, 0.8]])
    target = chance.choice(("runs", "runs", "runs", "index", "labels", "environments"))
    damage = chance.choice(
        (
            b"",
            b"{}",
            b"[]",
            b"null",
            b"\xff" * 9,
            b"[" * 9_000,
            b'{"run_id": 1}',
            b"1e999",
            "pipe",
            "zero",
            "loop",
            "folder",
            "key",
        )
    )
    key, value = (
        chance.choice(list(record.to_json())),
        chance.choice((None, -1, 1e308, "x", [], {}, [[1]], True, "\x1b")),
    )

    def prepare() -> None:
        store = make_results(record, make_record("stsc", [[0.4, None], [0.5, 0.7]]))
        store.index()
        file = {
            "runs": store.run_file(record.run_id), "index": store.folder / "index.json",
            "labels": store.labels_file(record.run_id),
            "environments": next((store.folder / "environments").iterdir()),
        }[target]  # fmt: skip
        content = json.loads(store.run_file(record.run_id).read_bytes())
        file.unlink(missing_ok=True)
        if isinstance(damage, bytes):
            file.write_bytes(damage)
        elif damage == "key":
            file.write_text(json.dumps({**content, key: value}))
        elif damage == "pipe":
            os.mkfifo(file)
        elif damage == "folder":
            file.mkdir()
        else:
            file.symlink_to("/dev/zero" if damage == "zero" else file.name)

    words = tuple(record.run_id[:8] if word == "PREFIX" else word for word in command.split())
    return Case(f"results with {target}: {damage!r}", words, ANY, prepare)


VARIABLES = (
    "LCBENCH_CACHE", "LCBENCH_DATA", "COLUMNS", "MPLBACKEND", "TERM", "NO_COLOR", "HOME", "TMPDIR", "LANG",
    "OMP_NUM_THREADS", "XDG_CACHE_HOME", "FORCE_COLOR", "LINES", "TZ",
)  # fmt: skip


def environment(chance: random.Random, _: Any) -> Case:
    """A sound command under an environment variable with a senseless value."""
    name = chance.choice(VARIABLES)
    value = chance.choice([text for text in (*TEXTS, *PLACES) if "\udcff" not in text])
    commands = (
        "list",
        "data list",
        "results list",
        "plot lifelong",
        "compare",
        "run -m one-cluster --dry-run",
        "data verify webkb4",
    )
    command = chance.choice(commands)
    return Case(f"variable {name}", tuple(command.split()), ANY | {3}, write_places, OFFLINE | {name: value})


def process(chance: random.Random, _: Any) -> Case:
    """A process of its own, whose standard streams are closed or full, or have another encoding."""
    commands = ("list", "results list", "compare", "info l2sc", "results export -", "run -m one-cluster -q", "--help")
    command = chance.choice((*commands, "plot lifelong"))
    shell = chance.choice((">&-", "2>&-", "<&-", ">&- 2>&-", ">/dev/full", "| head -c 1", ""))
    encoding = "" if shell else chance.choice(("ascii", "latin-1", "utf-16", "cp037", ""))
    variables = {"PYTHONIOENCODING": encoding, "MPLBACKEND": "nonsense"}
    codes = ANY | {1} if shell else frozenset({0})
    return Case(
        f"process with {shell or encoding}", tuple(command.split()), codes, write_places, variables, shell or " "
    )

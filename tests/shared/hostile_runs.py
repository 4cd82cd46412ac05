"""Runs the command line beside the hostile plugin, in a folder of its own, and gathers all that it did.

`carry_out(folder, "-m", "stsc", ...)` runs `lcbench run` on a stream of two tasks in a process that is marked by a
variable of its environment, which all processes it starts inherit: so those that outlive it are found, and ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

PLUGIN = Path(__file__).parents[1] / "hostile_plugin"
BLAME = "plugin 'hostile' of distribution 'lcbench_hostile'"
TASKS = ("task-1", "task-2")
NEIGHBOURS = ("stsc", "kmeans", "random")
SECONDS = 60  # after which a command hangs
START = "from lcbench.cli import main; main()"
TURNED = bytes(255 - n for n in range(256))


@dataclass(frozen=True)
class Outcome:
    """What a command printed and stored, the processes that outlived it, and the files it left."""

    code: int | None
    output: str
    errors: str
    records: dict[str, dict[str, Any]]
    outlived: list[str]
    left: list[str]

    def found(self) -> list[dict[str, Any]]:
        """What attacks said that they found."""
        return [json.loads(text) for text in re.findall(r"FOUND (\{.*\})", self.errors)]


def write_stream(folder: Path) -> Path:
    """A folder with a stream of two tasks of overlapping groups, in random order; half its digits are noise."""
    folder.mkdir(parents=True, exist_ok=True)
    for t, name in enumerate(TASKS):
        draw = np.random.default_rng(t)
        y = draw.permutation(np.arange(90) % 3)
        X = np.eye(3).repeat(3, axis=1)[y] + 0.9 * draw.random((90, 9))
        np.savez(folder / f"{name}.npz", X=X, y=y)
    return folder


def classes(folder: Path) -> dict[str, np.ndarray[Any, Any]]:
    """The true classes of each task of a stream."""
    return {name: np.load(folder / f"{name}.npz")["y"] for name in TASKS}


def write_wanted(stream: Path, file: Path) -> None:
    """What a search is to look for, with every bit turned round: classes in all forms they may have, and data."""
    wanted = {}
    for name in TASKS:
        with np.load(stream / f"{name}.npz") as arrays:
            X, y = arrays["X"], arrays["y"]
        listed = pickle.dumps(y.tolist())
        forms = {
            **{f"y {kind}": y.astype(kind).tobytes() for kind in ("<i8", "u1")},
            "y pickled": listed[listed.index(b"K") : listed.rindex(b"K")],
            "y text": ",".join(map(str, y)).encode(),
            "X": np.ascontiguousarray(X[:40]).tobytes(),
        }
        wanted |= {f"{name} {form}": content.translate(TURNED).hex() for form, content in forms.items()}
    file.write_text(json.dumps(wanted))


def carry_out(folder: Path, *words: str, before: str = "", here: str = "here", **variables: str) -> Outcome:
    """Run `lcbench run` with these words; `before` is Python to run first, in lcbench's process, in `here`."""
    mark = uuid.uuid4().hex
    temporary = folder / "tmp"
    for made in (temporary, folder / here):
        made.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ, "HOSTILE_MARK": mark, "PYTHONPATH": str(PLUGIN), "TMPDIR": str(temporary), "NO_COLOR": "1",
        "PYTHONIOENCODING": "utf-8", **variables,
    }  # fmt: skip
    command = [sys.executable, "-c", f"{before}\n{START}", "run", "--results", str(folder / "results"), *words]
    with (folder / "output").open("w+b") as output, (folder / "errors").open("w+b") as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, cwd=folder / here, env=environment,
            start_new_session=True,
        )  # fmt: skip
        try:
            code: int | None = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            code = None
            process.kill()
            process.wait()
        outlived = _end_marked(mark)
    for place in ("/tmp", "/var/tmp", "/dev/shm"):
        Path(place, f"hostile-{mark}").unlink(missing_ok=True)
    return Outcome(
        code,
        (folder / "output").read_bytes().decode(errors="replace"),
        (folder / "errors").read_bytes().decode(errors="replace"),
        _records(folder / "results"),
        outlived if code is not None else [],
        sorted(path.name for path in temporary.iterdir()),
    )


def _records(results: Path) -> dict[str, dict[str, Any]]:
    found = [json.loads(file.read_text()) for file in results.glob("runs/*.json")]
    return {record["label"]: record for record in found}


def _end_marked(mark: str) -> list[str]:
    """End all processes that carry a mark, which only those of one command do; says which there were."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if entry.name.isdigit() and f"HOSTILE_MARK={mark}".encode() in (entry / "environ").read_bytes():
                found.append(entry.name)
                os.kill(int(entry.name), signal.SIGKILL)
    return found

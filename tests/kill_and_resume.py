"""Kill an experiment with all its processes at random moments, resume it, and compare with one that was left alone.

`python tests/kill_and_resume.py 200` kills 200 times; a slow test kills 25 times.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

EXPERIMENT = [
    "run", "-m", "l2sc", "-m", "kmeans", "-s", "digits", "--grid", "l2sc.lam=0.1,1,10", "--tune", "silhouette",
    "--order", "random", "--repeats", "12", "--jobs", "2", "--quiet", "--json",
]  # fmt: skip
LONGEST = 4.0  # seconds before a kill


def start(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "lcbench", *EXPERIMENT, "--results", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def descendants(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [each for child in children for each in (int(child), *descendants(int(child)))]


def kill_tree(pid: int) -> None:
    """The parent last half of the time, so that workers also die first, under it."""
    tree = [pid, *descendants(pid)]
    if random.random() < 0.5:
        tree.reverse()
    for each in tree:
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def finish(folder: Path) -> None:
    process = start(folder)
    _, errors = process.communicate()
    assert process.returncode == 0, errors.decode()
    assert b"damaged" not in errors, errors.decode()


def content(folder: Path) -> dict[str, object]:
    """All that must not depend on how the experiment came to its end: the files, their scores and labels."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() or name == "index.json" or name.startswith("environments/"):
            continue
        if path.suffix == ".json":
            record = json.loads(path.read_text())
            found[name] = [record[key] for key in ("run_id", "status", "error", "scores", "labels_digest", "tune")]
        else:
            with np.load(path) as arrays:
                found[name] = {key: arrays[key].tolist() for key in arrays.files}
    return found


def check(folder: Path, undisturbed: dict[str, object]) -> None:
    after = content(folder)
    assert sorted(after) == sorted(undisturbed)
    for name, value in undisturbed.items():
        assert after[name] == value, name
    assert not (folder / "damaged").exists()
    assert not list(folder.rglob("*.tmp"))


def kill_and_resume(root: Path, kills: int, seed: int) -> str:
    """Kill `kills` times; an experiment that comes to its end is checked, and another one begun."""
    random.seed(seed)
    finish(root / "undisturbed")
    undisturbed = content(root / "undisturbed")
    assert len([name for name in undisturbed if name.startswith("runs/")]) == 12 * (
        1 + 3 + 1 + 1 + 4
    )  # the last: solos
    killed = experiments = 0
    while killed < kills:
        folder = root / f"disturbed-{experiments}"
        experiments += 1
        while killed < kills:
            process = start(folder)
            try:
                process.wait(random.uniform(0.0, LONGEST))
            except subprocess.TimeoutExpired:
                kill_tree(process.pid)
                killed += 1
            process.communicate()
            if process.returncode == 0:
                break
            assert process.returncode == -signal.SIGKILL
        finish(folder)
        check(folder, undisturbed)
    return f"{killed} kills in {experiments} experiments of {len(undisturbed) // 2} runs: nothing lost, nothing damaged"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as root:
        begun = time.monotonic()
        print(kill_and_resume(Path(root), int(sys.argv[1]) if len(sys.argv) > 1 else 200, seed=int(time.time())))
        print(f"{time.monotonic() - begun:.0f} s")

"""Write the golden files from the present code: `.venv/bin/python tests/golden/make_golden.py`.

Run it only when labels are meant to change, because the `revision` of a method was raised, or to pin runs that are new.
Never run it to make a failing test pass: that test then says that somebody's stored results have lost their ids, or
that a method clusters differently from what was published.

What is there is never changed. To replace a file, or the lines of some runs in runs.json, delete them first. The folder
results-0.1 was written by version 0.1 and stays. Needs LCBENCH_DATA, a folder with the WebKB archive.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import golden_runs
from golden_runs import EXIT_CODES, FOLDER_COMMANDS, HERE, RESULTS, RUNS, TABLES, lcbench_command, run_group
from same_kernels import environment

import lcbench

WRITTEN = 1_767_225_600  # when the run files are said to be written, so that the index can be of use in a copy
CHECKOUT = HERE.parents[1]


def main() -> None:
    """Write what is missing."""
    if not Path(os.environ.get("LCBENCH_DATA", ""), "webkb-data.gtar.gz").is_file():
        sys.exit("LCBENCH_DATA must name a folder with the WebKB archive, webkb-data.gtar.gz.")
    if not environment().items() <= os.environ.items():  # numpy is imported: only another process can be held to them
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **environment()})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ.update(LCBENCH_CACHE=str(folder / "cache"), LCBENCH_OFFLINE="1")
        _write_runs(folder)
        if not RESULTS.exists():
            _write_results(folder)
        for file, words in TABLES.items():
            if not (HERE / file).exists():
                text = lcbench_command(*words, "--results", str(RESULTS), folder=folder)
                (HERE / file).write_bytes(text.encode())
    _refuse_traces_of_this_machine()


def _write_runs(folder: Path) -> None:
    """Add the runs that are not pinned yet; refuse if one that is pinned gives something else."""
    golden_runs.write_streams(folder)
    before = json.loads(RUNS.read_text()) if RUNS.exists() else {"groups": {}}
    pinned = {(group, line["run"]): line for group, lines in before["groups"].items() for line in lines}
    groups: dict[str, list[dict[str, Any]]] = {}
    machines = []
    for group in (*golden_runs.experiments(folder), *golden_runs.commands(folder)):
        groups[group], machine = run_group(group, folder)
        machines += [machine] if machine else []
    changed = [
        line["run"] for g, lines in groups.items() for line in lines if pinned.get((g, line["run"]), line) != line
    ]
    if changed:
        sys.exit("These runs are pinned and give something else:\n" + "\n".join(changed))
    if before.get("machine", machines[0]) != machines[0]:
        sys.exit(f"runs.json was written with {before['machine']}, and this is {machines[0]}.")
    head = {"lcbench": before.get("lcbench", lcbench.__version__), "machine": machines[0]}
    RUNS.write_text(_one_line_per_run(head, groups))


def _one_line_per_run(head: dict[str, Any], groups: dict[str, list[dict[str, Any]]]) -> str:
    texts = []
    for group, lines in groups.items():
        runs = ",\n".join(json.dumps(line) for line in lines)
        texts.append(f"{json.dumps(group)}: [\n{runs}\n]")
    joined = ",\n".join(texts)
    start = "".join(f"{json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    return f'{{\n{start}"groups": {{\n{joined}\n}}\n}}\n'


def _write_results(folder: Path) -> None:
    """Write the results folder with the command line, without the paths and the kernel of this machine."""
    data = {"LCBENCH_DATA": os.environ["LCBENCH_DATA"]}
    for name, words in FOLDER_COMMANDS.items():
        ends = EXIT_CODES.get(name, 0)
        lcbench_command(*words, "--quiet", "--results", str(RESULTS), folder=folder, ends=ends, **data)
    (RESULTS / "index.json").unlink()
    replaced = {str(CHECKOUT) + os.sep: ""}
    for file in (RESULTS / "environments").iterdir():
        facts = {**json.loads(file.read_text()), "release": ""}
        canonical = json.dumps(facts, sort_keys=True, separators=(",", ":"))
        replaced[file.stem] = hashlib.sha256(canonical.encode()).hexdigest()
        file.unlink()
        file.with_stem(replaced[file.stem]).write_text(json.dumps(facts) + "\n")
    for file in (RESULTS / "runs").iterdir():
        text = file.read_text()
        for old, new in replaced.items():
            text = text.replace(old, new)
        file.write_text(text)
        os.utime(file, (WRITTEN, WRITTEN))
    lcbench_command("results", "list", "--results", str(RESULTS), folder=folder)  # which writes the index again


def _refuse_traces_of_this_machine() -> None:
    """Stop if a path, the kernel or the name of this machine is in a golden file."""
    traces = [str(CHECKOUT), str(Path.home()), platform.node(), platform.release(), tempfile.gettempdir()]
    for file in HERE.rglob("*"):
        text = file.read_text() if file.suffix in (".json", ".csv") else ""
        found = [trace for trace in traces if re.search(rf"(?<!\w){re.escape(trace)}(?!\w)", text)]
        if found:
            sys.exit(f"{file} holds {', '.join(found)}")


if __name__ == "__main__":
    main()

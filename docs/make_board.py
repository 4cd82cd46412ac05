"""Makes the board of our own methods, and its table in docs/board.md: `python docs/make_board.py FOLDER`.

Runs the methods on lifelong-1, packs, checks and verifies them, and builds the board, all in FOLDER; runs that are
there already are not made again. `--quick` takes the quick version of the suite, and leaves the page alone.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).parent
PAGE, CSV = DOCS / "board.md", DOCS / "board.csv"
SUITE, METHODS = "lifelong-1", ("l2sc", "stsc", "cpsc", "mini-batch-kmeans", "kmeans", "usc", "pooled-kmeans")
NONCE, SAMPLE = "docs/board.md", 10
TRANSFER = {"forward": "forward", "backward": "backward", "total": "total_transfer"}
START, END = "<!-- table -->\n", "<!-- end of table -->"
ABOUT = """\
code = "the package lcbench"
paper = "docs/methods.md names the paper of each method"
contact = "The lcbench developers"
tuning = "Defaults, the same on all streams."
outside_data = "None: no other data, no pretrained model."
labels = "Public. The developers have seen scores of these methods on the same streams: docs/streams.md has them."
"""


def lcbench(*words: object) -> None:
    """Calls lcbench, as a user would; ends this program if that fails."""
    program = Path(sys.executable).with_name("lcbench")
    done = subprocess.run([str(program), *map(str, words)])
    if done.returncode:
        sys.exit(done.returncode)


def build(folder: Path, jobs: int, part: list[str]) -> Path:
    """Makes the board in a folder, and returns its CSV file."""
    folder.mkdir(parents=True, exist_ok=True)
    methods = [word for method in METHODS for word in ("-m", method)]
    results, about, submission, site = (folder / name for name in ("results", "about.toml", "submission", "site"))
    lcbench("suite", "run", SUITE, *part, *methods, "--jobs", jobs, "--results", results)
    wheels = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", str(folder), str(DOCS.parent)]
    subprocess.run(wheels, check=True)
    (wheel,) = folder.glob("lcbench-*.whl")
    about.write_text(ABOUT, encoding="utf-8")
    shutil.rmtree(submission, ignore_errors=True)
    packed = ["--about", about, "--wheel", wheel, "--results", results, "--out", submission]
    lcbench("submit", "pack", SUITE, *part, *methods, *packed)
    lcbench("submit", "verify", submission, "--sample", SAMPLE, "--nonce", NONCE, "--jobs", jobs)
    lcbench("board", "build", submission, "--out", site)
    return site / "board.csv"


def table(file: Path) -> str:
    """The tables of the page, from the CSV file of a board: over all streams, and on each."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    streams = list(dict.fromkeys(row["stream"] for row in rows if row["stream"]))
    found = {(row["method"], row["stream"], row["figure"]): row for row in rows if row["metric"] == "ari"}

    def percent(method: str, figure: str, sign: str = "") -> str:
        row = found.get((method, "", figure))
        return "–" if row is None else f"{100 * float(row['mean']) + 0.0:{sign}.1f}"

    def rank(method: str) -> str:
        row = found[method, "", "rank"]
        return f"{float(row['mean']):.1f} [{float(row['low']):.1f}, {float(row['high']):.1f}]"

    def on(stream: str, method: str) -> str:
        row = found[method, stream, "score"]
        spread = f" ± {50 * (float(row['high']) - float(row['low'])):.1f}" if row["low"] else ""
        return f"{100 * float(row['mean']):.1f}{spread}"

    header = ("method", "level", "mean rank", "score", "solo", *TRANSFER)
    overall = []
    for method in methods:
        parts = (percent(method, part, "+") for part in TRANSFER.values())
        level = found[method, "", "rank"]["level"]
        overall.append([f"`{method}`", level, rank(method), percent(method, "score"), percent(method, "solo"), *parts])
    each = [(f"`{stream}`", *(on(stream, method) for method in methods)) for stream in streams]
    return f"{_markdown(header, overall, 2)}\n\n{_markdown(('stream', *(f'`{m}`' for m in methods)), each, 1)}"


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]], texts: int) -> str:
    """A table in Markdown; all columns but the first `texts` are numbers."""
    rule = "|---" * texts + "|--:" * (len(header) - texts) + "|"
    return "\n".join([f"| {' | '.join(header)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)])


def written(page: str, file: Path) -> str:
    """The text of the page with the table of a CSV file."""
    before, rest = page.split(START)
    return f"{before}{START}\n{table(file)}\n\n{END}{rest.split(END)[1]}"


def main() -> None:
    """Make the board, and of the whole suite the table of the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where runs, submission and board are kept")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--quick", action="store_true", help="the quick version of the suite")
    given = parser.parse_args()
    made = build(given.folder, given.jobs, ["--quick"] if given.quick else [])
    if not given.quick:
        shutil.copyfile(made, CSV)
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), CSV), encoding="utf-8")


if __name__ == "__main__":
    main()

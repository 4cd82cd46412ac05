"""Makes the board of our own methods, and its table in docs/board.md: `python docs/make_board.py FOLDER`.

Runs the methods on the quick version of lifelong-1, packs, checks and verifies them, and builds the board, all in
FOLDER; runs that are there already are not made again. `--full` takes the whole suite, and leaves the page alone.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parent
PAGE, CSV = DOCS / "board.md", DOCS / "board.csv"
SUITE, METHODS = "lifelong-1", ("l2sc", "stsc", "cpsc", "mini-batch-kmeans", "kmeans")
NONCE, SAMPLE = "docs/board.md", 10
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
    """The table of the page, from the CSV file of a board."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    streams = list(dict.fromkeys(row["stream"] for row in rows if row["stream"]))
    found = {(row["method"], row["stream"], row["metric"], row["figure"]): row for row in rows}

    def percent(method: str, stream: str, figure: str, sign: str = "") -> str:
        row = found.get((method, stream, "ari", figure))
        return "–" if row is None else f"{100 * float(row['mean']) + 0.0:{sign}.1f}"

    named = [f"`{stream}`" for stream in streams]
    header = ["method", "level", "mean rank", *named, "mean", "solo", "forward", "backward", "total"]
    lines = [f"| {' | '.join(header)} |"]
    lines += ["|---|---|--:|" + "--:|" * (len(streams) + 5)]
    for method in methods:
        rank = found[method, "", "ari", "rank"]
        cells = [
            f"`{method}`",
            rank["level"],
            f"{float(rank['mean']):.2f} [{float(rank['low']):.2f}, {float(rank['high']):.2f}]",
        ]
        cells += [percent(method, stream, "score") for stream in (*streams, "")]
        cells += [percent(method, "", "solo")]
        cells += [percent(method, "", part, "+") for part in ("forward", "backward", "total_transfer")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def written(page: str, file: Path) -> str:
    """The text of the page with the table of a CSV file."""
    before, rest = page.split(START)
    return f"{before}{START}\n{table(file)}\n\n{END}{rest.split(END)[1]}"


def main() -> None:
    """Make the board, and with its quick version the table of the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where runs, submission and board are kept")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--full", action="store_true", help="the whole suite, not its quick version")
    given = parser.parse_args()
    made = build(given.folder, given.jobs, [] if given.full else ["--quick"])
    if not given.full:
        shutil.copyfile(made, CSV)
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), CSV), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Draw the pictures of README and docs from real runs on digits and WebKB4: `python docs/images/make_images.py`.

The archive of WebKB is looked for as `lcbench run` does: in the cache, where LCBENCH_DATA says, then on the web.
"""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console
from rich.text import Text

import lcbench
from lcbench.analysis.selection import select_outcome
from lcbench.cli.run_tables import print_results
from lcbench.report.figures.draw import chart_bytes
from lcbench.report.figures.kind import find_kind

HERE = Path(__file__).parent
STREAM = "digits:tasks=8,per_class=10"
COMMAND = f"lcbench run -m cpsc -m l2sc -m stsc -s {STREAM} --order random --repeats 10"
PAPER = "webkb4:weighting=counts"


def draw(name: str, results: lcbench.Results, metrics: list[str], methods: list[str]) -> None:
    """Write the lifelong figure of the first method that is named, or of the stream, as SVG."""
    (chart, *_) = find_kind("lifelong").charts(select_outcome(results), metrics, methods)
    (HERE / name).write_bytes(chart_bytes(chart, "svg"))


console = Console(record=True, width=104, file=io.StringIO(), force_terminal=True, highlight=False)
results = lcbench.run(["cpsc", "l2sc", "stsc"], STREAM, order="random", repeats=10)
console.print(Text(f"$ {COMMAND}", style="bold"))
print_results(results, console=console)
console.save_svg(str(HERE / "run.svg"), title="lcbench")
results = lcbench.run(["l2sc", "stsc", "usc"], "webkb4", order="random", repeats=10)
draw("transfer.svg", results, ["purity", "nmi"], [])
draw("lifelong.svg", lcbench.run("l2sc:affinity=full,lam=100", PAPER), ["purity", "nmi"], [])

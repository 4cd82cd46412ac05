"""Draw run.svg, the picture of the README, from a real run: `python docs/images/make_run_svg.py`."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console
from rich.text import Text

import lcbench
from lcbench.cli.console import print_sheets
from lcbench.cli.run_tables import result_sheets

COMMAND = "lcbench run --method l2sc --method stsc --stream webkb4-sim --metric purity --metric nmi"

console = Console(record=True, width=92, file=io.StringIO(), force_terminal=True, highlight=False)
results = lcbench.run(["l2sc", "stsc"], "webkb4-sim", metrics=["purity", "nmi"])
console.print(Text(f"$ {COMMAND}", style="bold"))
print_sheets(result_sheets(results), console)
console.save_svg(str(Path(__file__).with_name("run.svg")), title="lcbench")

"""The notebook of the tutorial runs, shows what it promises, and is kept without outputs."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbconvert.preprocessors import ExecutePreprocessor

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.ipynb"


def test_the_notebook_is_kept_without_outputs():
    cells = json.loads(TUTORIAL.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 8
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@pytest.mark.slow
def test_the_notebook_runs_and_its_cells_show_tables_figures_and_progress(tmp_path):
    notebook = nbformat.read(TUTORIAL, as_version=4)
    ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    html = [output["data"]["text/html"] for output in shown if "text/html" in output.get("data", {})]
    assert sum("<img " in text for text in html) == 3
    assert sum('class="lcbench"' in text for text in html) == 6
    assert any("runs in" in text for text in html)  # where the bar was
    assert any(r"\label{tab:digits}" in output.get("text", "") for output in shown)
    assert {"lifelong.pdf", "lifelong.txt", "page.html", "tutorial-results"} <= {
        path.name for path in tmp_path.iterdir()
    }

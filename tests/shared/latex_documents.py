"""Compiles LaTeX with pdflatex, where there is one, and finds the boxes that did not fit."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

needs_pdflatex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="there is no pdflatex: Debian has it in texlive-latex-base"
)
TWO_COLUMNS = r"\documentclass[twocolumn,a4paper]{article}"
_TROUBLE = re.compile(r"^(?:Overfull.*|! .*|LaTeX Warning: (?:Float too large|Label|Reference).*)$", re.M)


def compile_latex(
    body: str, folder: Path, *, document: str = TWO_COLUMNS, packages: str = "booktabs"
) -> tuple[Path, list[str]]:
    """Makes a PDF of the body of a document; returns it, and the complaints on what does not fit or is wrong."""
    source = folder / "document.tex"
    source.write_text(
        f"{document}\n\\usepackage{{{packages}}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n", encoding="utf-8"
    )
    for _ in range(2):  # labels are known in the second
        subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", source.name],
            cwd=folder, check=False, capture_output=True, timeout=120,
        )  # fmt: skip
    log = source.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    return source.with_suffix(".pdf"), _TROUBLE.findall(log)

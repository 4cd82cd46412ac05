"""What goes into a paper compiles: every table of a large comparison, and a paper with tables and figures."""

from __future__ import annotations

import shutil
import subprocess
from itertools import permutations

import numpy as np
import pytest
from latex_documents import compile_latex, needs_pdflatex
from making import make_record, make_solos

import lcbench
from lcbench.api.results import Results
from lcbench.report.bibtex import bibliography
from lcbench.report.comparison.sheets import TABLES

METHODS = ("l2sc", "cpsc", "usc", "stsc", "kmeans", "pooled-kmeans", "mini-batch-kmeans", "mbc",
           "stsc:affinity=binary,n_neighbors=27")  # fmt: skip
pytestmark = pytest.mark.slow
STREAMS = ("webkb4", "digits:classes=0,1,tasks=4", "20newsgroups")
METRICS = ("purity", "nmi", "ri", "ari")
TASKS = ("cornell", "comp_sys-and-rec", "washington", "wisconsin")
SINGLE = ("stsc", "kmeans")


@pytest.fixture(scope="module")
def results():
    """Three streams, nine methods and four metrics, in six orders, with solo runs and baselines; one run failed."""
    generator = np.random.default_rng(0)
    runs, solos = [], []
    for stream in STREAMS:
        for repeat, order in enumerate(list(permutations(TASKS))[:6]):
            about = {"order": order, "repeat": repeat, "stream": stream.partition(":")[0], "stream_label": stream}
            base = None
            for label in sorted(METHODS, key=lambda label: label != "stsc"):
                scores = {metric: np.tril(generator.random((4, 4))).tolist() for metric in METRICS}
                whole = {m: [[x if j <= i else None for j, x in enumerate(row)] for i, row in enumerate(R)]
                         for m, R in scores.items()}  # fmt: skip
                single = label.partition(":")[0] in SINGLE
                run = make_record(
                    label, scores=whole, setting="single-task" if single else "lifelong",
                    note="" if single else "old tasks & new ones",
                    baseline=None if single or base is None else base.run_id, params={"label": label},
                    agreement=whole["ari"], **about,
                )  # fmt: skip
                base = run if label == "stsc" else base
                runs.append(run)
                if not single:
                    made = make_solos(run, dict.fromkeys(TASKS, 0.5))
                    for solo in made:
                        solo.scores = {metric: [[float(generator.random())]] for metric in METRICS}
                    solos += made
    runs[-1].status, runs[-1].error = "failed", "ValueError: a_b & 50 % of {x} in C:\\path_with_a_long_name\\and_more"
    return Results(runs, list(METRICS), solos=solos)


@needs_pdflatex
@pytest.mark.parametrize("width", ["column", "page"])
def test_every_table_of_three_streams_nine_methods_and_four_metrics_fits(results, tmp_path, width):
    found = lcbench.compare(results, against="stsc")
    tables = [found.to_latex(kind, width=width, label=f"tab:{kind}") for kind in TABLES]
    body = "\n\\clearpage\n".join([*tables, found.to_latex(width=width)])
    assert body.count(r"\begin{tabular}{") > 50
    pdf, complaints = compile_latex(body, tmp_path)
    assert (complaints, pdf.exists()) == ([], True)


@needs_pdflatex
def test_a_paper_with_two_tables_two_figures_and_references_compiles(results, tmp_path):
    found = lcbench.compare(results, against="stsc", metrics="nmi")
    scores = found.to_latex("streams", caption="Scores.", label="tab:scores")
    transfer = lcbench.compare([run for run in results if run.stream == "webkb4"], metrics="nmi").to_latex(
        "scores", width="page", label="tab:all"
    )
    results.plot("runtime", streams="webkb4", paper=True).save(tmp_path / "runtime.pdf")
    (file,) = results.plot("lifelong", streams="webkb4", metrics="nmi", paper=True, width="page").save(
        tmp_path / "lifelong.pdf"
    )
    caption = file.with_suffix(".txt").read_text()
    assert caption.startswith("WebKB4: what other tasks bring (6 orders, seed 0). By arrival")
    specs = [("method", spec) for spec in lcbench.list_methods()] + [
        ("stream", spec) for spec in lcbench.list_streams()
    ]
    (tmp_path / "refs.bib").write_text(bibliography([*specs, *(("metric", spec) for spec in lcbench.list_metrics())]))
    body = "\n".join(
        [
            r"We refer to Tables~\ref{tab:scores} and~\ref{tab:all}.\nocite{*}",
            scores, transfer,
            r"\begin{figure}\includegraphics{runtime.pdf}\caption{Time.}\end{figure}",
            r"\begin{figure*}\includegraphics{lifelong.pdf}\caption{Transfer.}\end{figure*}",
            r"\sloppy\bibliographystyle{plain}\bibliography{refs}",
        ]
    )  # fmt: skip
    packages = "booktabs,graphicx"
    compile_latex(body, tmp_path, packages=packages)
    if shutil.which("bibtex"):
        done = subprocess.run(["bibtex", "document"], cwd=tmp_path, capture_output=True, text=True)
        assert "error" not in done.stdout.lower(), done.stdout
    pdf, complaints = compile_latex(body, tmp_path, packages=packages)
    assert (complaints, pdf.exists()) == ([], True)

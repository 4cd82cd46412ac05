from __future__ import annotations

import re

from making import make_record


def test_a_run_shows_its_facts_and_a_matrix_with_the_names_of_tasks():
    run = make_record("l2sc:lam=10", params={"lam": 10.0}, note="noted", command="lcbench run")
    html = run._repr_html_()
    assert f"run {run.run_id[:10]}: l2sc:lam=10 on s" in html
    assert "<td>noted</td>" in html
    assert re.findall(r'<td class="number">([\d.]*)</td>', html) == ["50.0", "", "60.0", "80.0"]
    assert ">after learning</th>" in html
    assert "<summary>parameters</summary>" in html


def test_the_first_metric_is_open_and_the_others_are_folded():
    html = make_record(scores={"purity": [[0.5]], "nmi": [[0.25]], "silhouette": [[0.125]]}, order="a")._repr_html_()
    assert "<h3>purity (%)</h3>" in html
    assert "<summary>nmi (%)</summary>" in html
    assert html.index("25.0") > html.index("<summary>nmi")


def test_a_run_that_failed_says_why_and_nothing_in_it_is_markup():
    html = make_record(status="failed", error="<script>", scores={})._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html

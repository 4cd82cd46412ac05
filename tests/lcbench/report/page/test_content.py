from __future__ import annotations

import base64
import hashlib
import re

import pytest
from making import make_audited, make_record
from reading_sheets import column, texts

from lcbench.analysis.caveats import FIRST_TIMES, NOT_ISOLATED
from lcbench.analysis.compare import compare_methods
from lcbench.analysis.selection import select
from lcbench.records.formulas import FORMULAS
from lcbench.report.page.content import (
    audit_of,
    best_first,
    failure_sheet,
    formula_sheet,
    gather,
    headline,
    tuning_of,
)
from lcbench.report.verdict import verdict_lines

AB, BA = ("a", "b"), ("b", "a")


def gathered(runs, against=None, **others):
    selection = select(runs)
    comparison = compare_methods(selection, ("purity",), against=against)
    facts = {"folder": "results", "others": True, "made_by": "lcbench report", **others}
    return gather(selection, comparison, **facts)


@pytest.mark.parametrize(
    ("streams", "methods", "expected"),
    [
        (["webkb4", "digits"], 11, "webkb4, digits · 11 methods"),
        (["webkb4:weighting=counts"], 1, "webkb4:weighting=counts · 1 method"),
        (["a", "b", "c", "d"], 2, "4 streams · 2 methods"),
        (["x" * 50, "y" * 50], 2, "2 streams · 2 methods"),
        (["x" * 100], 2, "1 stream · 2 methods"),
    ],
)
def test_the_headline_names_few_streams_with_short_names_and_counts_others(streams, methods, expected):
    assert headline(streams, methods) == expected


def test_the_summary_counts_streams_methods_runs_and_failures(runs):
    content = gathered(runs)
    assert content.summary == (("stream", "1"), ("methods", "4"), ("runs", "10"), ("did not end well", "1"))
    assert content.failures is not None
    content = gathered(runs[:1])
    assert content.summary[:3] == (("stream", "1"), ("method", "1"), ("run", "1"))
    assert (content.audit, content.tuning, content.failures) == (None, None, None)


def test_the_time_of_the_newest_run_is_shown_to_the_minute(make):
    times = ("2026-01-02T03:04:05+00:00", "2025-12-31T23:59:59+00:00", None)
    runs = [make("m", AB, repeat=i, finished=time) for i, time in enumerate(times)]
    assert gathered(runs).newest == "2026-01-02 03:04 UTC"
    assert gathered(runs[2:]).newest == "at an unknown time"


def test_only_tables_of_differences_to_a_reference_are_folded(runs, make):
    assert not any(folded for _, folded in gathered(runs).tables)
    elsewhere = make("m", AB, stream="other", stream_label="other")
    tables = gathered([*runs, elsewhere], against="solo").tables
    (title,) = [sheet.title for sheet, folded in tables if folded]
    assert "minus that of solo" in title
    assert any("There are no runs of solo on other." in sheet.notes for sheet, folded in tables if not folded)


@pytest.mark.parametrize(("others", "metrics"), [(True, ["purity", "ari", "nmi"]), (False, ["purity"])])
def test_curves_offer_metrics_that_no_table_shows_if_they_are_wanted(runs, others, metrics):
    (stream,) = gathered(runs, others=others).data["streams"]
    assert [metric[0] for metric in stream["metrics"]] == metrics


def test_a_stream_has_its_own_overview_with_the_metrics_scored_there_and_none_without_averages():
    metrics = {"s": "purity", "t": "silhouette"}
    runs = [make_record("m", stream=stream, metric=metric) for stream, metric in metrics.items()]
    selection = select([*runs, make_record("m", stream="u", status="failed")])
    comparison = compare_methods(selection, tuple(metrics.values()))
    found = gather(selection, comparison, folder="", others=True, made_by="").overview
    assert [(sheet.title.partition(":")[0], sheet.header[2]) for sheet in found] == [
        ("s", "purity (%)"), ("t", "silhouette"),
    ]  # fmt: skip


def test_the_verdict_is_that_of_every_stream(runs, solos):
    elsewhere = make_record("m", stream="zzz")
    every = [*runs, *solos, elsewhere]
    streams = compare_methods(select(every), ("purity",)).streams
    assert gathered(every).verdict == tuple(line for stream in streams for line in verdict_lines(stream))
    assert gathered(every).verdict[-2].startswith("zzz, 1 order: m 70.0 purity.")
    assert gathered([make_record("m", status="failed")]).verdict == ()


def test_notes_on_all_tables_are_not_folded_with_the_differences_to_a_reference(runs, solos):
    tables = gathered([*runs, *solos], against="solo").tables
    assert [folded for _, folded in tables] == [False, False, False, True, False]
    assert "minus that of solo" in tables[3][0].title
    notes, _ = tables[-1]
    assert (notes.title, notes.rows) == ("Notes on these tables", ())
    assert any(note.startswith("Solo: each task alone.") for note in notes.notes)
    every = [note for sheet, _ in tables for note in sheet.notes]
    assert len(every) == len(set(every))


def test_audited_and_tuned_methods_are_listed_by_the_label_that_their_stream_has_on_the_page():
    points = [{"params": {"lam": lam}, "run_id": "", "status": "ok", "value": lam} for lam in (0.5, 2.0)]
    more = {
        "note": "chosen with labels", "choice": {"params": {"lam": 2.0}, "points": points, "search_seconds": 3.0},
        "tune": {"protocol": "oracle", "grid": []}, "stream_label": "S",
    }  # fmt: skip
    runs = [make_audited("tuned", "single-task", (60_000, 120_000), repeat=r, **more) for r in range(2)]
    selection = select([make_record(order=runs[0].order), *runs])
    audit, tuning = audit_of(selection), tuning_of(selection)
    assert [column(audit, name) for name in ("stream", "method", "as promised")] == [["s"], ["tuned"], ["NO"]]
    assert audit.notes[0].startswith("Promise broken: tuned on s ")
    assert [column(tuning, name) for name in ("stream", "method", "chosen", "runs")] == [
        ["s"], ["tuned"], ["lam=2"], ["2"],
    ]  # fmt: skip
    assert tuning.notes[1:] == ("tuned: chosen with labels.",)


def test_failed_runs_are_grouped_by_status_and_error_with_the_tasks_they_learned(make):
    runs = [
        make("m", repeat=0, status="failed", error="broke\n  twice", learn_seconds=[]),
        make("m", repeat=1, status="failed", error="broke twice", learn_seconds=[0.1]),
        make("m", repeat=2, status="timeout", error=None, learn_seconds=[0.1]),
        make("m", repeat=3),
    ]
    sheet = failure_sheet(select(runs))
    assert [row[1:] for row in texts(sheet)] == [
        ["m", "2", "failed", "0 to 1 of 2", "broke twice"],
        ["m", "1", "timeout", "1 of 2", "–"],
    ]


def test_the_formula_of_every_lifelong_figure_is_listed_with_its_id():
    sheet = formula_sheet()
    assert column(sheet, "id") == [formula.id for formula in FORMULAS]
    assert all(column(sheet, "formula"))
    assert not any("_" in name for name in column(sheet, "figure"))


def test_how_runs_were_made_is_noted_once_below_the_tables():
    old, mine = make_record("old"), make_record("mine", clock=2, isolated=False)
    notes = [note for sheet, _ in gathered([old, mine]).tables for note in sheet.notes]
    assert notes.count(f"mine: {NOT_ISOLATED}.") == notes.count(f"old: {FIRST_TIMES}.") == 1


def test_methods_come_best_first_by_the_first_metric_in_rows_and_columns_and_without_an_average_last():
    averages = {"low": (0.2, 0.2), "none": (None, 0.4), "high": (0.9, 0.7)}
    content = gathered([make_record(label, R) for label, R in averages.items()])
    assert column(content.overview[0], "method") == ["high", "low", "none"]
    scores = content.tables[0][0]
    assert scores.header == ("task", "metric", "high", "low", "none")


def test_the_method_with_the_least_score_comes_first_where_less_is_better(monkeypatch):
    monkeypatch.setattr("lcbench.report.page.content.greater_is_better", lambda _: False)
    selection = select([make_record("high", (0.9, 0.7)), make_record("low", (0.2, 0.2))])
    (stream,) = best_first(compare_methods(selection, ("purity",))).streams
    assert [method.label for method in stream.methods] == ["low", "high"]


SCRIPT = re.compile(r"<script(?: type=\"text/plain\" id=\"plotly\")?>(.*?)</script>", re.DOTALL)


def test_only_scripts_with_a_known_hash_may_run_and_nothing_may_be_fetched_or_points_outside(runs, make_page):
    page = make_page(runs)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    policy = policy.replace("&#39;", "'")
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in SCRIPT.findall(page)]
    assert len(digests) == 3
    script_source = " ".join(f"'sha256-{digest}'" for digest in digests)
    assert policy.startswith(f"default-src 'none'; script-src {script_source}; ")
    assert not re.search(r"https?:|unsafe-eval|\*", policy)
    assert page.index("Content-Security-Policy") < page.index("<script")
    markup = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert re.findall(r'(?:src|href|action|data)="(?!#)[^"]*"', markup) == []
    assert "url(" not in page.split("</style>")[0]


def test_the_verdict_stands_above_the_contents_and_its_names_stay_text(runs, solos, make_page):
    page = make_page([*runs, *solos])
    (verdict,) = re.findall(r'<ul class="verdict">(.*?)</ul>', page, re.DOTALL)
    assert verdict.count("<li>") == verdict.count("<") // 2 > 1
    assert verdict.startswith("<li>&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;, 3 orders: ")
    assert page.index('class="verdict"') < page.index("<nav") < page.index("<table")


def test_control_characters_and_lone_surrogates_do_not_reach_the_page(make, make_page):
    run = make("right\u202eleft\x07", stream_label="half \ud800")
    page = make_page([run])
    assert page.encode("utf-8")
    assert "\u202e" not in page
    assert "\\u202e" not in page.split('id="data">')[1].split("</script>")[0]
    assert "right\ufffdleft\ufffd" in page


def test_sections_without_content_are_not_there(make, make_page):
    page = make_page([make("m", scores={})])
    assert 'class="verdict"' not in page
    for name in ("overview", "failures", "audit", "tuning"):
        assert f'id="{name}"' not in page
        assert f'href="#{name}"' not in page
    assert '<h2 id="environment">' in page

from __future__ import annotations

import base64
import hashlib
import re

SCRIPT = re.compile(r"<script(?: type=\"text/plain\" id=\"plotly\")?>(.*?)</script>", re.DOTALL)


def test_only_scripts_with_a_known_hash_may_run_and_nothing_may_be_fetched(runs, make_page):
    page = make_page(runs)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    policy = policy.replace("&#39;", "'")
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in SCRIPT.findall(page)]
    assert len(digests) == 3
    script_source = " ".join(f"'sha256-{digest}'" for digest in digests)
    assert policy.startswith(f"default-src 'none'; script-src {script_source}; ")
    assert not re.search(r"https?:|unsafe-eval|\*", policy)
    assert page.index("Content-Security-Policy") < page.index("<script")


def test_nothing_in_the_markup_points_outside(runs, make_page):
    markup = re.sub(r"<(script|style)\b.*?</\1>", "", make_page(runs), flags=re.DOTALL)
    assert re.findall(r'(?:src|href|action|data)="(?!#)[^"]*"', markup) == []
    assert "url(" not in make_page(runs).split("</style>")[0]


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

from __future__ import annotations

import tomllib

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lcbench.submission.toml_text import toml_text

texts = st.text(st.characters(codec="utf-8"), max_size=20)
numbers = st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False))
plain = st.one_of(texts, numbers, st.lists(st.one_of(texts, numbers), max_size=3))
keys = st.text("abcdefgh_", min_size=1, max_size=6)
tables = st.dictionaries(keys, plain, max_size=4)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # texts take long to draw at first
@given(st.dictionaries(keys, st.one_of(plain, tables, st.lists(tables, min_size=1, max_size=3)), max_size=5))
def test_what_is_written_is_what_tomllib_reads(content):
    assert tomllib.loads(toml_text(content)) == content

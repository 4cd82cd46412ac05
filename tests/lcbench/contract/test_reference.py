from __future__ import annotations

import re

from lcbench.registry.host import plugin_host


def test_every_citation_of_an_installed_spec_has_a_key_of_its_own_a_known_kind_authors_and_a_year():
    registry = plugin_host().registry
    found = [
        cited
        for held in (registry.methods, registry.streams, registry.metrics)
        for spec in held
        for cited in spec.citations
    ]
    by_key = {cited.key: cited for cited in found}
    assert len(by_key) > 15
    assert all(by_key[cited.key] == cited for cited in found)
    for cited in found:
        assert re.fullmatch(r"[a-z]+\d{4}[a-z]+", cited.key)
        assert cited.kind in ("article", "inproceedings", "book", "misc")
        assert str(cited.year) in cited.key
        assert all(", " in author for author in cited.authors)
        assert cited.key.startswith(cited.authors[0].partition(",")[0].lower())

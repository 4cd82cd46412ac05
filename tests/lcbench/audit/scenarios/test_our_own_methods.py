"""Our own methods keep what their settings allow, on dense and on sparse streams.

On small far groups the checks for authors hold every method to that too (tests/plugins/scenarios/test_contract.py).
"""

from __future__ import annotations

import pytest

from lcbench.audit.verdict import DATA, LIBRARY, NOTHING, verdict_of
from lcbench.registry.host import plugin_host

KEPT = {"single-task": NOTHING, "lifelong": LIBRARY, "multi-task": DATA}
OURS = [
    spec.name for spec in plugin_host().registry.methods
    if plugin_host().registry.methods.source(spec.name).distribution == "lcbench"
]  # fmt: skip
IMAGES, TEXTS = "digits:tasks=3,per_class=10", "topics:tasks=3,documents=60,words=300"
EVERY_AUDIT = [
    *((method, IMAGES) for method in ("l2sc", "cpsc", "mini-batch-kmeans", "river-kmeans", "stsc", "usc")),
    *((method, TEXTS) for method in ("l2sc", "cpsc")),
]
MEASURED = [
    *((method, IMAGES) for method in OURS if (method, IMAGES) not in EVERY_AUDIT),
    *((method, TEXTS) for method in ("stsc", "usc", "kmeans", "pooled-kmeans", "mbc", "mtsc")),
    *((method, TEXTS) for method in ("mini-batch-kmeans", "river-kmeans")),
]


def check(audited, method, stream):
    """A method keeps exactly what its setting allows; only one that keeps the tasks themselves fails under poison."""
    record = audited(method, stream, "isolate", "poison")
    found = verdict_of(record)
    assert (found.kept, found.within_promise) == (KEPT[record.setting], True)
    assert record.audit["isolate"]["passed"] is True
    assert record.audit["poison"]["passed"] is (found.kept != DATA)
    if found.kept == LIBRARY:
        pickled = record.state_bytes[-1] - record.audit["measure"]["state_bytes_before"]
        held = record.audit["measure"]["held_bytes"][-1]
        assert found.size == (held if method == "river-kmeans" else pickled)  # dicts are larger than their pickle


@pytest.mark.parametrize(("method", "stream"), EVERY_AUDIT)
def test_our_own_methods_pass_every_audit(audited, method, stream):
    check(audited, method, stream)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["l2sc", "cpsc", "stsc", "kmeans", "usc", "pooled-kmeans", "mbc", "mtsc"])
def test_our_own_methods_pass_every_audit_on_webkb4(audited, webkb, method):
    check(audited, method, "webkb4")


@pytest.mark.parametrize(("method", "stream"), MEASURED)
def test_our_own_methods_keep_what_their_setting_allows(audited, method, stream):
    record = audited(method, stream)
    found = verdict_of(record)
    assert (found.kept, found.within_promise) == (KEPT[record.setting], True)


def test_l2sc_with_stored_encodings_is_seen_to_grow_and_hides_nothing(audited):
    record = audited("l2sc:encoding=frozen", IMAGES, "isolate", "poison")
    found = verdict_of(record)
    assert (found.kept, found.within_promise) == (DATA, False)
    assert record.audit["isolate"]["passed"] is True
    assert record.audit["poison"]["passed"] is True

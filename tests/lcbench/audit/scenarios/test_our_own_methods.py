"""Our own methods keep what their settings allow, on dense and on sparse streams."""

from __future__ import annotations

import pytest

from lcbench.audit.verdict import DATA, LIBRARY, NOTHING, verdict_of
from lcbench.registry.host import plugin_host

KEPT = {"single-task": NOTHING, "lifelong": LIBRARY, "multi-task": DATA}
METHODS = ["l2sc", "cpsc", "stsc", "kmeans", "usc", "pooled-kmeans", "mbc", "mtsc"]
OTHERS = [
    "onestepsc",
    "random",
    "one-cluster",
    "tsc",
    "smbc",
    "smkc",
    "mtcmrl",
    "lssmtc",
    "mini-batch-kmeans",
    "river-kmeans",
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


def test_every_method_of_ours_is_tested():
    methods = plugin_host().registry.methods
    ours = {spec.name for spec in methods if methods.source(spec.name).distribution == "lcbench"}
    assert ours == {*METHODS, *OTHERS}


@pytest.mark.parametrize("stream", ["digits", "topics:tasks=3,documents=60,words=300"])
@pytest.mark.parametrize("method", ["l2sc", "cpsc", "stsc", "usc", "mini-batch-kmeans", "river-kmeans"])
def test_our_own_methods_pass_every_audit(audited, method, stream):
    check(audited, method, stream)


@pytest.mark.slow
@pytest.mark.parametrize("method", [*METHODS[5:], *OTHERS, "kmeans"])
def test_the_other_methods_of_ours_pass_every_audit_on_digits(audited, method):
    check(audited, method, "digits")


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_our_own_methods_pass_every_audit_on_webkb4(audited, webkb, method):
    check(audited, method, "webkb4")


@pytest.mark.parametrize("stream", ["digits", "topics:documents=60,words=300"])
@pytest.mark.parametrize("method", METHODS)
def test_our_own_methods_keep_what_their_setting_allows(audited, stream, method):
    record = audited(method, stream)
    found = verdict_of(record)
    assert (found.kept, found.within_promise) == (KEPT[record.setting], True)


def test_l2sc_with_stored_encodings_is_seen_to_grow_and_hides_nothing(audited):
    record = audited("l2sc:encoding=frozen", "digits", "isolate", "poison")
    found = verdict_of(record)
    assert (found.kept, found.within_promise) == (DATA, False)
    assert record.audit["isolate"]["passed"] is True
    assert record.audit["poison"]["passed"] is True

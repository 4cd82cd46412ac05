from __future__ import annotations

import sys
from types import ModuleType

import pytest

from lcbench.audit.modes import MODES, checked_modes
from lcbench.audit.verdict import DATA, LIBRARY, NOTHING, verdict_of
from lcbench.errors import ParameterError
from lcbench.registry.host import plugin_host


@pytest.mark.parametrize(
    ("asked", "done"),
    [
        ((), ("measure",)),
        ("poison", ("measure", "poison")),
        (("poison", "isolate", "poison"), ("measure", "isolate", "poison")),
        (MODES, MODES),
    ],
)
def test_measure_is_always_done(asked, done):
    assert checked_modes(asked) == done


def test_an_audit_that_is_not_there_is_refused():
    with pytest.raises(ParameterError, match=r"no audit 'poisson'\. Did you mean 'poison'"):
        checked_modes(["poisson"])


def test_only_what_was_asked_for_is_in_the_record(audited, blob_stream):
    assert list(audited("kmeans", blob_stream).audit) == ["measure"]
    assert list(audited("kmeans", blob_stream, "poison").audit) == ["measure", "poison"]


def test_an_audited_run_has_the_labels_of_an_ordinary_one(cheats, audited, blob_stream):
    for method in ("l2sc", cheats.Draws()):
        plain = audited(method, blob_stream)
        full = audited(method, blob_stream, "isolate", "poison")
        assert plain.labels_digest == full.labels_digest
        assert full.audit["isolate"]["passed"] is True
        assert full.audit["poison"]["passed"] is True


@pytest.mark.parametrize("options", [{"evaluate": "last"}, {"future": True}, {"evaluate": "every:2"}], ids=str)
def test_the_same_cells_are_compared_as_were_evaluated(cheats, audited, blob_stream, options):
    record = audited(cheats.Lifelong(), blob_stream, "isolate", "poison", **options)
    assert record.audit["isolate"]["passed"] is True
    assert record.audit["poison"]["passed"] is True


def test_a_method_that_only_this_process_knows_cannot_be_isolated_and_is_not_accused(
    cheats, audited, blob_stream, monkeypatch
):
    module = ModuleType("only_here")
    module.Local = type("Local", (cheats.Lifelong,), {"__module__": "only_here"})
    monkeypatch.setitem(sys.modules, "only_here", module)
    record = audited(module.Local(), blob_stream, "isolate")
    assert record.audit["isolate"]["passed"] is None
    assert "cannot rebuild the method: ModuleNotFoundError" in record.audit["isolate"]["reason"]
    assert verdict_of(record).within_promise is True


KEPT = {"single-task": NOTHING, "lifelong": LIBRARY, "multi-task": DATA}
METHODS = ["l2sc", "stsc", "kmeans", "usc", "pooled-kmeans", "mbc", "mtsc"]
OTHERS = ["onestepsc", "random", "one-cluster", "tsc", "smbc", "smkc", "mtcmrl", "lssmtc"]


def check(audited, method, stream):
    """Each keeps what its setting promises, and not less; only what keeps the tasks themselves can be poisoned."""
    record = audited(method, stream, "isolate", "poison")
    found = verdict_of(record)
    assert (found.kept, found.within_promise) == (KEPT[record.setting], True)
    assert record.audit["isolate"]["passed"] is True
    assert record.audit["poison"]["passed"] is (found.kept != DATA)
    if found.kept == LIBRARY:
        assert found.size == record.state_bytes[-1] - record.audit["measure"]["state_bytes_before"]


def test_every_method_of_ours_is_among_these():
    methods = plugin_host().registry.methods
    ours = {spec.name for spec in methods if methods.source(spec.name).distribution == "lcbench"}
    assert ours == {*METHODS, *OTHERS}


@pytest.mark.parametrize("method", ["l2sc", "stsc", "usc"])
def test_our_own_methods_on_digits(audited, method):
    check(audited, method, "digits")


@pytest.mark.slow
@pytest.mark.parametrize("method", [*METHODS[4:], *OTHERS, "kmeans"])
def test_the_other_methods_of_ours_on_digits(audited, method):
    check(audited, method, "digits")


@pytest.mark.parametrize("method", ["l2sc", "stsc", "usc"])
def test_our_own_methods_on_sparse_topics(audited, method):
    check(audited, method, "topics:tasks=3,documents=60,words=300")


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_our_own_methods_on_webkb4(audited, webkb, method):
    check(audited, method, "webkb4")


@pytest.mark.parametrize("stream", ["digits", "topics:documents=60,words=300"])
@pytest.mark.parametrize("method", METHODS)
def test_what_our_own_methods_keep(audited, stream, method):
    record = audited(method, stream)
    found = verdict_of(record)
    assert (found.kept, found.within_promise) == (KEPT[record.setting], True)


def test_encodings_that_are_stored_are_seen_to_grow_and_hide_nothing(audited):
    record = audited("l2sc:encoding=frozen", "digits", "isolate", "poison")
    found = verdict_of(record)
    assert (found.kept, found.within_promise) == (DATA, False)
    assert record.audit["isolate"]["passed"] is True
    assert record.audit["poison"]["passed"] is True

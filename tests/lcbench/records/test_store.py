from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest

from lcbench.records.record import FAILED, SCHEMA
from lcbench.records.store import RunStore


@pytest.fixture
def store(tmp_path, record):
    made = RunStore(tmp_path)
    made.save(record)
    return RunStore(tmp_path)


def changed(**values):
    return lambda content: json.dumps({**json.loads(content), **values}).encode()


DAMAGE = {
    "empty": (lambda content: b"", "it is empty"),
    "blank": (lambda content: b"\n \n", "it is empty"),
    "cut": (lambda content: content[:100], "it is no JSON"),
    "bytes": (lambda content: b"\x80\xff", "it is no JSON"),
    "deep": (lambda content: b"[" * 100_000, "it is no JSON"),
    "a number": (lambda content: b"5", "it is no record of a run"),
    "another object": (lambda content: b'{"a": 1}', "it is no record of a run"),
    "no order": (changed(order=None), "it is no record of a run"),
    "another seed": (changed(seed=1), "what it says does not fit its id"),
    "status": (changed(status="fine"), "its status is 'fine'"),
    "scores": (changed(scores=3), "its 'scores' cannot be read"),
    "a matrix": (changed(scores={"nmi": "high"}), "its scores of 'nmi' do not fit its 2 tasks"),
    "a row": (changed(scores={"nmi": [[0.5, None], 3]}), "its scores of 'nmi' do not fit its 2 tasks"),
    "a cell": (changed(scores={"nmi": [[0.5, None], [0.5, "x"]]}), "its scores of 'nmi' do not fit its 2 tasks"),
    "rows missing": (changed(scores={"nmi": [[0.5, None]]}), "its scores of 'nmi' do not fit its 2 tasks"),
    "seconds": (changed(learn_seconds=["long"]), "its 'learn_seconds' cannot be read"),
    "audit": (changed(audit=[]), "its 'audit' cannot be read"),
    "label": (changed(label=7), "its 'label' cannot be read"),
    "environment": (changed(environment=[]), "its 'environment' cannot be read"),
}


@pytest.mark.parametrize("look", ["load", "index"])
@pytest.mark.parametrize(("damage", "why"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_named_in_one_warning_and_set_aside(store, record, caplog, files, look, damage, why):
    file = store.run_file(record.run_id)
    bad = damage(file.read_bytes())
    labels = store.labels_file(record.run_id).read_bytes()
    file.write_bytes(bad)
    if look == "load":
        assert store.load(record.run_id) is None
    assert dict(store.index()) == {}
    assert dict(RunStore(store.folder).index()) == {}
    (warning,) = caplog.records
    assert (warning.levelno, warning.name) == (logging.WARNING, "lcbench.records.store")
    aside = store.folder / "damaged" / f"{record.run_id}.json"
    assert warning.getMessage().startswith(f"'{file}' is damaged ({why}")
    assert f"was moved to '{aside}': its run counts as not done." in warning.getMessage()
    assert aside.read_bytes() == bad
    assert aside.with_suffix(".npz").read_bytes() == labels
    assert [path for path in files(store.folder) if path.startswith(("runs", "labels"))] == []


def test_a_file_whose_name_is_not_its_run_id_is_set_aside_and_the_run_itself_stays(store, record, caplog):
    copy = store.run_file("copy of it")
    copy.write_bytes(store.run_file(record.run_id).read_bytes())
    assert set(store.index()) == {record.run_id}
    assert "its name is not the id of its run" in caplog.text
    assert [path.name for path in (store.folder / "damaged").iterdir()] == ["copy of it.json"]
    assert store.labels_file(record.run_id).exists()


def test_what_was_set_aside_before_is_never_overwritten(store, record, caplog):
    for content in (b"first", b"second", b"third"):
        store.run_file(record.run_id).write_bytes(content)
        assert store.load(record.run_id) is None
        store.save(record)
    aside = {path.name: path.read_bytes() for path in (store.folder / "damaged").glob("*.json")}
    name = record.run_id
    assert aside == {f"{name}.json": b"first", f"{name}.2.json": b"second", f"{name}.3.json": b"third"}
    assert len(list((store.folder / "damaged").glob("*.npz"))) == 3
    assert len(caplog.records) == 3
    assert store.load(record.run_id).status == "ok"


def test_a_damaged_file_is_set_aside_before_its_run_is_saved_again(store, record, caplog):
    store.run_file(record.run_id).write_bytes(b"")
    store.save(replace(record, status=FAILED, error="no luck"))
    assert store.load(record.run_id).status == FAILED
    assert len(list((store.folder / "damaged").iterdir())) == 2
    assert len(caplog.records) == 1


def test_a_damaged_file_that_cannot_be_moved_counts_as_not_done(store, record, caplog):
    (store.folder / "damaged").write_text("in the way")
    store.run_file(record.run_id).write_bytes(b"")
    for _ in range(2):
        assert dict(store.index()) == {}
        assert store.load(record.run_id) is None
    (warning,) = caplog.records
    assert "could not be moved" in warning.getMessage()
    assert (store.folder / "damaged").read_text() == "in the way"


def test_a_file_that_was_replaced_meanwhile_is_not_set_aside(store, record, caplog):
    store._set_aside(record.run_id, b"what was read before somebody saved the run", "it is no JSON")
    assert set(store.index()) == {record.run_id}
    assert caplog.records == []


@pytest.fixture
def newer(store, record):
    """The stored run, as a later lcbench might have written it."""
    file = store.run_file(record.run_id)
    file.write_bytes(changed(schema=SCHEMA + 1, scores="elsewhere")(file.read_bytes()))
    return file


def test_a_file_of_a_newer_schema_is_left_alone_and_named_in_a_warning(store, record, newer, caplog):
    content = newer.read_bytes()
    for _ in range(2):
        index = store.index()
        assert (dict(index), set(index.newer)) == ({}, {record.run_id})
        assert store.load(record.run_id) is None
    (warning,) = caplog.records
    assert str(newer) in warning.getMessage()
    assert f"it has schema {SCHEMA + 1} and this lcbench knows up to {SCHEMA}" in warning.getMessage()
    caplog.clear()
    assert set(RunStore(store.folder).index().newer) == {record.run_id}  # from the index file
    assert str(newer) in caplog.text
    assert newer.read_bytes() == content
    assert not (store.folder / "damaged").exists()


def test_a_file_of_a_newer_schema_is_not_replaced(store, record, newer, caplog):
    content = newer.read_bytes()
    store.save(record)
    assert newer.read_bytes() == content
    assert f"'{newer}' was not replaced: it has schema {SCHEMA + 1}" in caplog.text


def test_many_files_of_a_newer_schema_are_one_warning(store, record, newer, caplog):
    for n in range(9):
        store.run_file(f"{n}").write_bytes(newer.read_bytes())
    store.index()
    (warning,) = caplog.records
    assert "and 5 more" in warning.getMessage()


@pytest.mark.parametrize("run_id", ["", "..", "../runs/x", "a/b"])
def test_no_id_leads_out_of_the_folder(store, run_id, caplog):
    (store.folder / "x.json").write_text("mine")
    assert store.load(run_id) is None
    assert (store.folder / "x.json").read_text() == "mine"
    assert caplog.records == []

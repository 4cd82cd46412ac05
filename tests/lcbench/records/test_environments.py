from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from making import make_results

from lcbench.records.environments import Environments
from lcbench.records.store import RunStore

FACTS = {"system": "Ünix", "python": "3.11", "packages": {"numpy": "2.0"}}


def sha256(facts) -> str:
    """The hash of the canonical JSON, by the standard library."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@pytest.fixture
def environments(tmp_path) -> Environments:
    return Environments(tmp_path)


def test_facts_are_saved_under_their_hash_whatever_their_order_and_read_back(environments, tmp_path):
    assert environments.save(FACTS) == environments.save(dict(reversed(FACTS.items()))) == sha256(FACTS)
    (file,) = tmp_path.iterdir()
    assert file.name == f"{sha256(FACTS)}.json"
    assert json.loads(file.read_bytes()) == FACTS
    assert Environments(tmp_path).load(sha256(FACTS)) == FACTS


def test_saving_again_does_not_write_a_good_file_and_mends_a_damaged_one(environments, tmp_path):
    environments.save(FACTS)
    file = environments.file(sha256(FACTS))
    before = file.stat().st_mtime_ns, file.stat().st_ino
    Environments(tmp_path).save(FACTS)
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before
    file.write_text('{"python": "2.7"}')
    Environments(tmp_path).save(FACTS)
    assert json.loads(file.read_bytes()) == FACTS


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"python": "2.7"}'])
def test_a_missing_or_damaged_file_gives_no_facts(environments, tmp_path, content):
    environments.save(FACTS)
    file = environments.file(sha256(FACTS))
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    assert Environments(tmp_path).load(sha256(FACTS)) == {}


def test_an_id_that_is_no_hash_reads_no_file(environments, tmp_path):
    (tmp_path.parent / "outside.json").write_text("{}")
    assert environments.load("../outside") == {}


def test_only_environments_that_are_not_used_are_deleted(environments, tmp_path):
    used, unused = environments.save(FACTS), environments.save({"python": "3.12"})
    (tmp_path / "notes.json").write_text("mine")
    environments.remove_others({used, None})
    assert not environments.file(unused).exists()
    assert {path.name for path in tmp_path.iterdir()} == {f"{used}.json", "notes.json"}


def test_the_environment_is_read_once_for_all_runs(record):
    other = replace(record, seed=1)
    store = make_results(record, other)
    store.load(record.run_id)
    for file in (store.folder / "environments").iterdir():
        file.unlink()
    assert store.load(other.run_id).environment == record.environment
    assert RunStore(store.folder).load(record.run_id).environment == {}

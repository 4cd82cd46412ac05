from __future__ import annotations

import json
import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from lcbench.contract.specs import StreamCard, TaskShape, resolve_params
from lcbench.data.folders.imported_facts import FACTS_FILE, ImportedFacts, read_facts
from lcbench.data.folders.listing import Kind

FACTS = ImportedFacts(
    name="own",
    path=Path("own/stream"),
    origin="/data/mine",
    kind=Kind.TABLES,
    params={"label": "topic", "clusters": None},
    tasks=(TaskShape("a", 3, 2, 2, (("u", 1), ("v", 2))), TaskShape("b", 4, 2, 2)),
    content="c" * 64,
    bytes=99,
    imported="2024-02-29T12:00:00+00:00",
    verified="2024-03-01T12:00:00+00:00",
    summary="2 .csv files, one per task",
    card=StreamCard("Words", "a library", "CC0", ("Two notes.", "In all.")),
)


@pytest.fixture
def folder() -> Path:
    """The folder of an import, with its description."""
    Path("own").mkdir()
    FACTS.write(Path("own"))
    return Path("own")


def test_a_description_is_read_back_as_it_was_written(folder):
    assert read_facts(folder) == FACTS


def test_a_cache_that_was_moved_is_read_from_its_new_place(folder):
    shutil.copytree(folder, "elsewhere/own")
    assert read_facts(Path("elsewhere/own")) == replace(FACTS, path=Path("elsewhere/own/stream"))


def test_a_folder_that_was_renamed_is_refused(folder):
    folder.rename("other")
    with pytest.raises(ValueError, match="another version or another name"):
        read_facts(Path("other"))


def test_a_description_that_lacks_any_key_is_refused_with_the_key(folder):
    facts = json.loads((folder / FACTS_FILE).read_bytes())
    assert len(facts) == 12
    for key in facts:
        lacking = {other: value for other, value in facts.items() if other != key}
        (folder / FACTS_FILE).write_text(json.dumps(lacking))
        with pytest.raises(ValueError, match=f"KeyError: '{key}'"):
            read_facts(folder)


def test_samples_are_summed_over_tasks():
    assert FACTS.samples == 7


def test_the_spec_has_the_parameters_of_the_import_as_defaults_and_its_hash_as_digest():
    spec = FACTS.spec()
    assert (spec.name, spec.summary, spec.card) == ("own", FACTS.summary, FACTS.card)
    assert spec.digest == f"folder-1-{'c' * 64}"
    assert resolve_params("own", spec.params, {}) == FACTS.params


def test_the_spec_knows_sizes_of_tasks_for_the_parameters_of_the_import_only():
    spec = pickle.loads(pickle.dumps(FACTS.spec()))
    assert spec.shapes(FACTS.params) == FACTS.tasks
    assert spec.shapes({**FACTS.params, "clusters": 5}) == (TaskShape("a"), TaskShape("b"))

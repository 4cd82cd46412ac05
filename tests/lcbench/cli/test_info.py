from __future__ import annotations

import json
import re

import pytest

from lcbench.registry.host import plugin_host

SHOWN = {
    "l2sc": (
        "setting lifelong: keeps a library", "AAAI 2020", "solver=paper the printed one", "baseline stsc",
        "old tasks re-encoded when asked", "lam 1 a number", "k none a whole number", "one of corrected, paper",
        "weight of the feature library (lambda); grid paper (58 values)", "mu 0.01",
    ),
    "digits": ("was chosen because l2sc is above stsc there", "With all ten digits it is not", "CC BY 4.0"),
    "digits:tasks=2,per_class=5": ("task-2 20 64 4 3 5, 5 5, 8 5, 9 5",),
    "digits:tasks=25,per_class=1": ("task-20", "and 5 tasks more"),
    "webkb4-sim": ("SIMULATED", "cornell 226 2,500 4 course 44, faculty 34, project 20, student 128"),
    "nmi": ("kind external: compares", "better greater"),
    "silhouette": ("kind internal: looks",),
    "one-cluster": ("parameters none",),
    "stsc": ("setting single-task: clusters each task alone",),
    "topics": ("licence None needed", "task-1 200 1,000 4"),
}  # fmt: skip
HIDDEN = {
    "stsc": "grid paper", "digits:tasks=2,per_class=5": "task-3", "digits:tasks=25,per_class=1": "task-21",
    "topics": "by chance",
}  # fmt: skip


@pytest.fixture
def info(command):
    """The text that `lcbench info` prints, as one line with single spaces."""

    def show(name: str) -> str:
        called = command("info", name)
        assert (called.code, called.err) == (0, "")
        return " ".join(called.lines)

    return show


@pytest.fixture
def here(cache, tiny_stream, command):
    assert command("data", "fetch", "tiny").code == 0


@pytest.fixture
def own_folder(cache, tmp_path):
    """Makes a folder of tables that have the classes a and b, or others."""

    def make(*names: str, classes: str = "ab") -> str:
        folder = tmp_path / "own"
        folder.mkdir()
        for name in names:
            rows = "\n".join(f"{i % 2},{i},{classes[i % 2]}" for i in range(4))
            (folder / f"{name}.csv").write_text(f"u,v,y\n{rows}\n")
        return f"{folder}:label=y"

    return make


@pytest.mark.parametrize("name", SHOWN)
def test_a_name_is_shown_with_its_facts_parameters_and_tasks_and_without_what_does_not_apply(info, name):
    text = info(name)
    for part in SHOWN[name]:
        assert part in text, part
    registry = plugin_host().registry
    spec = registry.methods.get(name) or registry.streams.get(name)
    assert all(f" {param.name} " in text for param in (spec.params if spec else ()))
    assert name not in HIDDEN or HIDDEN[name] not in text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("l2cs", "There is no method, stream or metric 'l2cs'. Did you mean 'l2sc'?"),
        ("digits:task=3", "Stream 'digits' has no parameter 'task'. Did you mean 'tasks'?"),
    ],
)
def test_an_unknown_name_or_parameter_gets_a_suggestion(command, name, message):
    assert command("info", name) == (2, "", f"lcbench: {message}\n")


def test_without_the_data_the_card_has_sizes_classes_terms_and_how_to_get_them(info, cache):
    text = info("webkb4")
    for part in (
        "cornell 226 2,500 4 course 44, faculty 34, project 20, student 128", "wisconsin 308",
        "None is stated; CMU offers it for research", "header names the university and is cut",
        "The data are not here: 'lcbench data fetch webkb4' fetches them.",
    ):  # fmt: skip
        assert part in text
    assert "cornell ? ? 4" in info("webkb4:max_features=100")
    assert not cache.exists()


def chance(text: str) -> dict[str, float]:
    (said,) = re.findall(r"Random labels score by chance: (.*?) \(means over tasks and 20 draws\)\.", text)
    return {name: float(score) for name, score in (part.split() for part in said.split(", "))}


def test_the_card_says_what_random_labels_score(info):
    found = chance(info("digits:tasks=2,per_class=40"))
    assert list(found) == ["purity", "nmi", "ri", "ari"]
    assert found["ari"] == pytest.approx(0, abs=0.5)  # by its definition
    assert found["ri"] == pytest.approx(
        100 * (1 / 4 * 1 / 4 + 3 / 4 * 3 / 4), abs=1
    )  # pairs together, or apart, in both
    few = chance(info('digits:tasks=2,per_class=2,classes="0,1,2,3,4,5,6,7,8,9"'))
    assert few["nmi"] > 50 > few["ari"] + 45  # nmi of random labels is high where clusters are small


def test_what_random_labels_score_is_not_computed_for_data_that_are_not_here(info, cache, own_folder):
    assert "by chance" not in info("webkb4")
    assert "by chance" in info("webkb4-sim")
    assert set(chance(info(own_folder("one", "two")))) == {"purity", "nmi", "ri", "ari"}


def test_with_the_data_the_card_shows_class_balance_and_how_alike_the_tasks_are(info, here):
    text = info("tiny")
    assert "cornell 12 11 2 course 6, faculty 6" in text
    assert chance(text)["purity"] > 50
    assert "not here" not in text
    assert "texas 12 5 2" in info("tiny:max_features=5")
    alike = text.split("How alike the tasks are: cosine of their mean samples")[1]
    between = re.search(r" cornell 1\.00 (\d\.\d\d) texas (\d\.\d\d) 1\.00", alike)
    assert between[1] == between[2]
    same, other = re.search(r"in two tasks: (\d\.\d\d) on average; of different names: (\d\.\d\d)", alike).groups()
    assert float(same) > float(other)


def test_a_damaged_cache_does_not_make_the_card_fetch(command, here, cache, site):
    site.asked.clear()
    path = cache / "data" / "tiny.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-20])
    command("info", "tiny")
    assert site.asked == []


def test_the_card_of_a_folder_says_what_a_run_would_warn_of(info, own_folder, tmp_path):
    where = own_folder("one", "two")
    assert "sorted by class" not in info(where)
    rows = "\n".join(f"{i % 3},{i},{'ab'[i // 6]}" for i in range(12))
    (tmp_path / "own" / "two.csv").write_text(f"u,v,y\n{rows}\n")
    assert "The rows of task 'two' are sorted by class, which a method could use: shuffle them." in info(where)


@pytest.mark.parametrize("count", [1, 2, 10, 11])
def test_the_similarity_of_more_than_ten_tasks_is_summed_up_and_one_task_has_none(info, own_folder, count):
    text = info(own_folder(*(f"task-{i}" for i in range(count))))
    assert ("over all pairs" in text) == (count > 10)
    assert ("Classes of one name in two tasks: 1.00 on average" in text) == (count > 1)


@pytest.mark.parametrize("name", ["\x1b[31mb", "[/x]"])
def test_tasks_and_classes_cannot_colour_the_card_by_their_names(info, own_folder, tmp_path, name):
    where = own_folder("0", "1", classes=(name, "other"))
    quoted = name.replace("\x1b", "\\u001b")
    (tmp_path / "own" / "stream.toml").write_text(
        f'[[tasks]]\nfile = "0.csv"\nname = "{quoted}"\n[[tasks]]\nfile = "1.csv"\nname = "second"\n'
    )
    text, safe = info(where), name.replace("\x1b", "\N{REPLACEMENT CHARACTER}")
    assert "\x1b" not in text
    assert text.count(f"{safe} 2, other 2") == 2
    assert text.count(safe) >= 4  # of the class in both tasks, of the task in sizes and in similarity


def test_a_stream_is_described_in_the_croissant_format_and_nothing_else_is(command):
    called = command("info", "digits:tasks=2", "--format", "croissant")
    assert called.code == 0
    described = json.loads(called.out)
    assert described["alternateName"] == 'digits:classes="3,5,8,9",tasks=2,per_class=20,seed=0'
    assert [task["tasks/name"] for task in described["recordSet"][0]["data"]] == ["task-1", "task-2"]
    called = command("info", "l2sc", "--format", "croissant")
    assert called.code == 2
    assert "'l2sc' is a method: only a stream can be described with --format croissant." in " ".join(called.err.split())
    called = command("info", "digits", "--format", "yaml")
    assert called.code == 2
    assert "--format takes one of table, croissant, not 'yaml'." in called.err

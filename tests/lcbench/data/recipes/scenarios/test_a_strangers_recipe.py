"""The recipe in docs/plugin-streams.md: a third party's archive, TOML file and reader become a stream that runs."""

from __future__ import annotations

import importlib
import io
import re
import tarfile
from pathlib import Path

import pytest

import lcbench
from lcbench.contract.specs import resolve_params
from lcbench.registry.building import build_stream
from lcbench.registry.catalogue import Source

PAGE = Path(__file__).parents[5] / "docs" / "plugin-streams.md"
WORDS = {"politics": "vote law party minister", "sports": "ball goal team match"}
SOURCE = Source("my-streams", "my-streams")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def write_archive(path: Path, counts: dict[str, int]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for key, count in counts.items():
            cluster = key.split("/")[1]
            for i in range(count):
                text = f"{WORDS[cluster]} {('yes', 'no')[i % 2]} number {i}".encode()
                info = tarfile.TarInfo(f"news/{key}/{i}.txt")
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text))


@pytest.fixture
def spec_of(tmp_path, monkeypatch):
    """The spec of the page's recipe, with the digest that stands in it replaced."""
    reader = next(block for block in blocks("py") if "def read_news" in block)
    package = tmp_path / "my_streams"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "reading.py").write_text(reader)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("LCBENCH_DATA", str(data))
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "cache"))
    toml = next(block for block in blocks("toml") if "[tasks.2019.clusters]" in block)

    def spec(digest: str):
        recipe = tmp_path / "my-news.toml"
        recipe.write_text(toml.replace("…", digest), "utf-8")
        return lcbench.recipe_spec(recipe)

    write_archive(data / "my-news.tar.gz", spec("").data.counts)
    return spec


def built(spec):
    return build_stream(spec, resolve_params("", spec.params, {}), SOURCE)


def test_the_error_names_the_digest_to_write_into_the_recipe_and_with_it_the_stream_runs(spec_of):
    with pytest.raises(lcbench.LcbenchError) as refused:
        built(spec_of("")).tasks()
    digest = re.search(r"its digest is ([0-9a-f]{64})", str(refused.value))[1]
    stream = built(spec_of(digest))
    assert [(t.name, t.task.X.shape, t.classes) for t in stream.tasks()] == [
        ("2019", (200, 10), ("politics", "sports")),
        ("2020", (200, 10), ("politics", "sports")),
    ]
    (run,) = lcbench.run("kmeans", stream)
    assert run.status == "ok"

from __future__ import annotations

import html
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

SMALL = ("-s", "digits:tasks=2", "--order", "random", "--repeats", "2", "--quiet")


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    return tmp_path_factory.mktemp("report") / "lcbench-results"


@pytest.fixture
def some_runs(command, made_once):
    if not made_once.exists():
        assert command("run", "-m", "kmeans", "-m", "mine=random", *SMALL).code == 0
        assert command("run", "-m", "l2sc:k=500", "--no-baseline", *SMALL).code == 1
        grid = ("--grid", "kmeans.n_init=1,2", "--tune", "oracle")
        assert command("run", "-m", "kmeans", *grid, *SMALL).code == 0
        shutil.copytree("lcbench-results", made_once)
    else:
        shutil.copytree(made_once, "lcbench-results")


def section(page: str, name: str) -> str:
    """The text of a section of the page, without its markup."""
    inside = page.split(f'<h2 id="{name}">')[1].split("<h2")[0]
    return html.unescape(re.sub(r"<[^>]+>", "", inside))


def page(name="report.html") -> str:
    return Path(name).read_text(encoding="utf-8")


def test_the_page_has_every_part_from_the_overview_to_the_environment(command, some_runs):
    called = command("report", "--against", "mine")
    assert (called.code, called.out) == (0, "")
    assert re.fullmatch(r"report.html: 8 runs, \d\.\d MB; open it in a browser\n", called.err)
    assert "<h1>digits:<wbr>tasks=2 · 4 methods</h1>\n  <p>Results in lcbench-results, newest run " in page()
    assert "<title>digits:tasks=2 · 4 methods: lcbench report, " in page()
    parts = {
        "overview": "kmeans (oracle)", "curves": "Lifelong curves", "tables": "digits:tasks=2",
        "runs": "Every run of this page", "audit": "keeps",
        "failures": "l2sc:k=500", "tuning": "kmeans (oracle)", "commands": "lcbench report --against mine\n",
        "formulas": "last-minus-diagonal", "environment": "scikit-learn",
    }  # fmt: skip
    assert re.findall(r'<h2 id="(\w+)">', page()) == list(parts)
    assert re.findall(r'<li><a href="#(\w+)">', page().split("</nav>")[0]) == list(parts)
    for name, text in parts.items():
        assert text in section(page(), name)
    titles = [part.split("</summary>")[0] for part in page().split('<details class="sheet folded">')[1:]]
    assert len(titles) == 4
    assert all(
        f"{m} minus that of mine" in title for m, title in zip(("purity", "nmi", "ri", "ari"), titles, strict=True)
    )


def test_the_commands_on_the_page_find_every_run_done_and_are_all_there_is(command, some_runs):
    command("report", "--out", "my PAGE.HTM")
    before = page("my PAGE.HTM")
    lines = re.findall(r"<pre><code>(.*?)</code></pre>", before, re.DOTALL)
    *runs, report = (shlex.split(html.unescape(re.sub(r"<[^>]+>", "", line)))[1:] for line in lines)
    listed = [json.loads(line) for line in command("results", "list", "--json").out.splitlines()]
    found = set()
    for arguments in runs:
        called = command(*arguments, "--json")
        assert "[1/" not in called.err  # no run is made
        found |= {run["run_id"] for run in called.runs}
    assert found == {run["run_id"] for run in listed}
    Path("my PAGE.HTM").unlink()
    assert command(*report).code == 0
    assert page("my PAGE.HTM") == before


def test_filters_and_metrics_choose_what_is_on_the_page(command, some_runs):
    assert command("report", "--method", "mine", "--metric", "ari", "--against", "kmeans").code == 0
    data = json.loads(page().split('id="data">')[1].split("</script>")[0])
    assert data["methods"] == ["mine", "kmeans"]
    assert [metric[0] for metric in data["streams"][0]["metrics"]] == ["ari"]
    assert "lcbench report --method mine --metric ari --against kmeans" in section(page(), "commands")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "no/such/folder.html"], "could not be written"),
        (["--out", "page.pdf"], "'page.pdf' would be an HTML page all the same: end --out in .html."),
        (["--out", "page", "--results", "elsewhere"], "end --out in .html"),
    ],
    ids=str,
)
def test_a_file_that_cannot_be_the_page_is_refused_with_one_sentence(refused, folder, arguments, message):
    assert message in refused("report", *arguments)
    assert [path.name for path in Path.cwd().iterdir()] == ["lcbench-results"]


def test_the_reference_may_be_named_by_the_label_that_tables_give_it_beside_its_twin(command):
    for n_init in (1, 2):
        assert command("run", "-m", f"twin=kmeans:n_init={n_init}", "-s", "digits:tasks=2", "--quiet").code == 0
    called = command("report", "--method", "twin", "--against", "twin (n_init=1)")
    assert (called.code, called.out) == (0, ""), called.err
    assert "purity minus that of twin (n_init=1)" in section(page(), "tables")


def test_a_run_ends_by_saying_which_commands_show_it_and_they_do(command):
    folder = "my results; rm"
    said = command("run", "-m", "one-cluster", "-s", "digits:tasks=2", "--results", folder).err.splitlines()[-1]
    commands = re.findall(r"'(lcbench [a-z ]+)'", said)
    assert commands == ["lcbench compare", "lcbench plot lifelong", "lcbench report"]
    each = shlex.split(said.partition(", each with ")[2])
    assert each == ["--results", folder]
    for line in commands:
        called = command(*line.split()[1:], *each)
        assert called.code == 0, called.err
    assert Path("report.html").is_file()

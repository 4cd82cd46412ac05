from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer.main
from doc_blocks import commands
from typed_commands import typed

from lcbench.cli.app import build_app
from lcbench.cli.help import GROUPS, completes, examples_of
from lcbench.experiment.options import OPTIONS

COMPLETION = ("--install-completion", "--show-completion")


def walked(command, path=("lcbench",)) -> Iterator[tuple[str, object]]:
    """Every command and group with the words that call it."""
    yield " ".join(path), command
    for name, below in getattr(command, "commands", {}).items():
        yield from walked(below, (*path, name))


COMMANDS = dict(walked(typer.main.get_command(build_app())))
SHOWN = set(commands())
TYPED = sorted({line for command in COMMANDS.values() for line, _ in examples_of(command)})


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_has_plain_words_for_values_and_three_examples(command, name):
    called = command(*name.split()[1:], "--help")
    assert called.code == 0
    assert not re.search(r"<\w+|\[\[|x>=|\{", called.out)
    listed = re.sub(r"  Kinds of figures:\n(?:  .*\n)+", "", called.out)  # a line each, however long
    assert max(map(len, listed.splitlines())) <= 80
    assert len(examples_of(COMMANDS[name])) == 3
    assert all(f"  {line}\n" in called.out for line, _ in examples_of(COMMANDS[name]))


def test_every_option_of_an_experiment_is_in_its_group_in_the_help_of_run(command):
    text = command("run", "--help").out
    places = {heading: text.index(f"\n{heading}:\n") for heading in (*GROUPS, "Examples")}
    assert list(places) == sorted(places, key=places.__getitem__)
    for option in OPTIONS.values():
        assert option.group in GROUPS
        after = [places[option.group], *(p for p in places.values() if p > places[option.group])]
        assert after[0] < re.search(rf"^  .*{option.flags[0]}\b", text, re.MULTILINE).start() < after[1]


def test_a_word_that_an_option_had_before_is_not_in_the_help(command):
    assert "--out " not in command("run", "--help").out


@pytest.mark.parametrize("line", TYPED)
def test_the_options_and_arguments_of_every_example_are_there(line, command, tmp_path):
    """The parser takes the words of each example; what they do is run with the slow tests."""
    words = shlex.split(re.split(r" \| | && |\)$", line)[0])
    words = words[next(i for i, word in enumerate(words) if word.endswith("lcbench") and "=" not in word) + 1 :]
    if words[0] in COMPLETION:
        return
    root = COMMANDS["lcbench"]
    name, found, rest = root.resolve_command(root.make_context("lcbench", list(words)), list(words))
    while hasattr(found, "commands"):
        name, found, rest = found.resolve_command(found.make_context(name, list(rest)), list(rest))
    assert found.make_context(name, [word for word in rest if word != "./mine.py" and word != "--plugin"])


PREPARED = """
mkdir -p news/a news/b packages archives
for task in a b; do for word in red blue; do mkdir news/$task/$word; for i in 1 2 3 4 5; do
echo "$word text number $i of $word things" > news/$task/$word/$i.txt; done; done; done
lcbench new method mine --into packages > made.txt
lcbench run -q -m l2sc -s digits:tasks=2,per_class=5 > shown.txt
lcbench run -q -m stsc -s digits:tasks=2,per_class=5 --results old-results > shown.txt
lcbench run -q -m cpsc -s digits:tasks=2,per_class=5 --order random --repeats 2 > shown.txt
"""
SKIPPED = re.compile(
    r"1f7c|data (fetch|verify|path|remove) \w|mine\.py|before\.json|--install-completion|jq|webkb4|status failed|"
    r"--name|suite run|submit |board build"
)


def shell(lines: str, folder: Path) -> None:
    done = typed(lines, folder, HOME=str(folder))
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with data, a package and stored runs, which examples are about."""
    folder = tmp_path_factory.mktemp("prepared")
    shell(PREPARED, folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("line", [line for line in TYPED if not SKIPPED.search(line) and line not in SHOWN])
def test_every_example_that_needs_no_data_works(line, prepared, tmp_path):
    """Those that stand in the documentation too are run by its tests."""
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    shell(line.replace("-s digits", "-s digits:tasks=2,per_class=5").replace("--repeats 10", "--repeats 2"), tmp_path)


def test_it_gives_the_words_of_a_kind_with_a_line_about_each():
    words = completes("rules")(SimpleNamespace(params={}), "or")
    assert [word for word, _ in words] == ["oracle"]

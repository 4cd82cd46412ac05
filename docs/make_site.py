"""Hooks of mkdocs: makes the pages that come from the code, when the site is built.

These are the reference of all commands, a card per method, stream and metric, and the pages that stand outside of this
folder. None of them is a file in the repository, so none can be out of date.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from lcbench.cli.app import build_app
from lcbench.cli.info import card_sheets, registered_under
from lcbench.registry.host import plugin_host
from lcbench.report.sheets.formats import in_markdown, markdown
from lcbench.report.sheets.sheet import Sheet, text_sheet

ROOT = Path(__file__).parents[1]
OUTSIDE = {f"{name.lower()}.md": f"{name}.md" for name in ("CONTRIBUTING", "CHANGELOG", "RELEASING", "SECURITY")}
CARDS = {"Methods": "methods", "Streams": "streams", "Metrics": "metrics"}
BOARD = Path(__file__).with_name("board.csv")
SHOWN = (
    ("score", "ari", "ARI (%)"),
    ("score", "nmi", "NMI (%)"),
    ("score", "purity", "purity (%)"),
    ("solo", "ari", "alone, ARI (%)"),
    ("total_transfer", "ari", "from other tasks"),
)
IN_TABLE = re.compile(r"^\|.*$", re.MULTILINE)
CODE = re.compile(r"(^```.*?^```|^(?: {4}|\t).*?$|`[^`\n]*`)|\]\[", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Puts the cards into the navigation, below the headings that wait for them."""
    for section in config.nav:
        for title, entries in section.items():
            if title in CARDS:
                entries += [{name: f"cards/{CARDS[title]}/{name}.md"} for name in registered(CARDS[title])]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that come from the code."""
    for path, text in pages():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    r"""The text of a page as mkdocs wants it.

    R[i][j] is a cell of a matrix, not a link; links outside lead to pages here; code in a table has | without a \.
    """
    for path, source in OUTSIDE.items():
        markdown = re.sub(rf"\]\((?:\.\./)?{source}", f"]({path}", markdown)
    markdown = IN_TABLE.sub(lambda row: re.sub(r"`[^`]*`", lambda code: code[0].replace(r"\|", "|"), row[0]), markdown)
    return CODE.sub(lambda found: found[1] or r"]\[", markdown)


def on_page_content(html: str, **_: Any) -> str:
    """The page with options marked, so that --order is not broken after its dashes."""
    html = re.sub(r'(<span class="w"> *</span>)(--?[a-z][\w-]*)', r'\1<span class="option">\2</span>', html)
    return html.replace("<code>-", '<code class="option">-')


def pages() -> Iterator[tuple[str, str]]:
    """Every page that comes from the code, or from a file outside of this folder."""
    yield "reference/commands.md", "\n".join(command_pages())
    for kind in CARDS.values():
        for name in registered(kind):
            yield f"cards/{kind}/{name}.md", card_page(kind, name)
    for path, source in OUTSIDE.items():
        yield path, (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")


def registered(kind: str) -> list[str]:
    """The names of all methods, streams or metrics of lcbench itself."""
    return sorted(spec.name for spec in getattr(plugin_host().registry, kind))


def card_page(kind: str, name: str) -> str:
    """The card of a method, stream or metric, as `lcbench info` shows it, with its figures on the board."""
    ((spec, source, _),) = [found for found in registered_under(name) if f"{found[2]}s" == kind]
    facts, *tables = card_sheets(spec, source, kind[:-1], {})
    told = [f"**{in_markdown(fact.text)}**\n:   {in_markdown(value.text)}\n" for fact, value in facts.rows]
    lead = spec.summary[:1].upper() + spec.summary[1:]
    return "\n".join([f"# {name}\n\n{in_markdown(lead)}.\n", *told, *map(markdown, [*tables, *figures(kind, name)])])


def figures(kind: str, name: str) -> Iterator[Sheet]:
    """What a method, or the methods on a stream, score on the board of our own methods."""
    own, other = {"methods": ("method", "stream"), "streams": ("stream", "method"), "metrics": ("metric", "")}[kind]
    with BOARD.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row[own] == name and row["stream"] and other]
    found = {(row[other], row["figure"], row["metric"]): f"{100 * float(row['mean']):.1f}" for row in rows}
    names = list(dict.fromkeys(row[other] for row in rows))
    if names:
        header = (other, *(text for _, _, text in SHOWN))
        cells = [(each, *(found.get((each, figure, metric), "") for figure, metric, _ in SHOWN)) for each in names]
        note = f"Means over the repeats of {rows[0]['suite']}, in percent; the page on the board has intervals."
        yield text_sheet("On the board", header, cells, stub=1, notes=[note])


def command_pages() -> Iterator[str]:
    """Every command with its options, from the descriptions that the command line itself is made of."""
    yield "# Commands\n\nWhat `lcbench COMMAND --help` prints, for every command.\n"
    yield from command_section(typer.main.get_command(build_app()), ["lcbench"])


def command_section(command: Any, words: list[str]) -> Iterator[str]:
    """The section of a command, and of its subcommands."""
    context = command.make_context(words[-1], [], resilient_parsing=True)
    context.info_name = " ".join(words)
    if len(words) > 1:
        yield f"## {' '.join(words)}\n\n```text\n{command.get_help(context).strip()}\n```\n"
    for name, sub in getattr(command, "commands", {}).items():
        yield from command_section(sub, [*words, name])

from __future__ import annotations

import re
from pathlib import Path

import lcbench
from lcbench import MethodSpec, Reference, Setting
from lcbench.report.bibtex import AUTHORS, TITLE, bibliography, entry, in_bibtex, lcbench_entry

ROOT = Path(__file__).parents[3]
PAPER = Reference("a2020b", "article", "On X & Y", ("Müller, Zoë", "Ng, A."), 2020, "A Journal", pages="1-9")


def test_an_entry_has_the_known_fields_and_no_others():
    assert entry(PAPER) == (
        "@article{a2020b,\n"
        '  author = {M{\\"u}ller, Zo{\\"e} and Ng, A.},\n'
        "  title = {{On X \\& Y}},\n"
        "  journal = {A Journal},\n"
        "  pages = {1--9},\n"
        "  year = {2020},\n"
        "}"
    )
    assert "booktitle = {C}" in entry(Reference("k", "inproceedings", "T", ("A, B",), venue="C"))
    assert "publisher = {P}" in entry(Reference("k", "book", "T", ("A, B",), venue="P"))


def test_letters_with_accents_are_written_as_bibtex_sorts_them():
    assert in_bibtex("éçàñÅšı_ï") == "{\\'e}{\\c c}{\\`a}{\\~n}{\\r A}{\\v s}ı\\_{\\\"\\i}"


def test_the_entry_of_lcbench_has_the_facts_of_citation_cff():
    facts = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r'^title: "(.*)"$', facts, re.M)[1] == TITLE
    assert re.findall(r'^  - name: "(.*)"$', facts, re.M) == list(AUTHORS)
    assert "author = {{The lcbench developers}}" in lcbench_entry()
    assert f"Version {lcbench.__version__}" in lcbench_entry()


def test_a_publication_comes_once_and_what_has_none_is_told_in_words():
    def method(name: str, **fields: object) -> MethodSpec:
        return MethodSpec(name, "a:B", Setting.LIFELONG, **fields)

    used = [
        method("x", citations=(PAPER,)),
        method("y", citations=(PAPER,)),
        method("z", reference="By\nhand"),
        method("w"),
    ]
    text = bibliography([("method", spec) for spec in used])
    assert text.startswith(
        "% method x: a2020b\n% method y: a2020b\n% method z: By hand\n% method w: nothing to cite\n\n@misc{lcbench"
    )
    assert text.count("@article{a2020b,") == 1
    assert bibliography([]) == lcbench_entry() + "\n"

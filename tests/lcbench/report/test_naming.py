from __future__ import annotations

from pathlib import Path

import pytest
from making import make_record

from lcbench.analysis.selection import select
from lcbench.errors import ParameterError
from lcbench.report.naming import Naming, labels_of, naming_of, paper_names, read_names, tasks_of
from lcbench.report.sheets.sheet import Cell, Sheet


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("nmi (%)", "NMI (%)"),
        ("l2sc: old tasks", "L²SC: old tasks"),
        ("l2sc's time", "L²SC's time"),
        ("l2sc:lam=10 and l2sc", "L²SC (lam=10) and L²SC"),
        ("l2sc:lam=100", "l2sc:lam=100"),  # another variant, which nobody named
        ("nmi-2, unnmi, results/nmi", "nmi-2, unnmi, results/nmi"),
        ("webkb4, 2 orders: l2sc.", "WebKB4, 2 orders: L²SC."),
    ],
)
def test_a_name_is_replaced_as_a_whole_and_nowhere_else(text, shown):
    assert paper_names(["l2sc", "l2sc:lam=10", "nmi", "webkb4"]).text(text) == shown


def test_names_that_a_user_gives_come_first_and_what_no_spec_knows_stays():
    naming = paper_names(["l2sc", "stsc", "mine"], {"l2sc": "Ours"})
    assert naming.text("l2sc, stsc, mine") == "Ours, stSC, mine"


def test_two_labels_that_would_get_one_name_keep_theirs():
    assert paper_names(["stsc", "stSC", "l2sc"]).text("stsc, stSC, l2sc") == "stsc, stSC, L²SC"


def test_every_text_of_a_table_is_named_and_fields_to_keep_are_not():
    sheet = Sheet("by nmi", ("task", "l2sc"), ((Cell("nmi"), Cell("1.0", bold=True)),), notes=("l2sc.",))
    named = paper_names(["nmi", "l2sc"]).apply(sheet, keep=("notes",))
    assert named == Sheet("by NMI", ("task", "L²SC"), ((Cell("NMI"), Cell("1.0", bold=True)),), notes=("l2sc.",))
    assert Naming({}).apply(sheet) == sheet


def test_the_labels_of_a_selection_are_its_streams_methods_baselines_and_metrics():
    base = make_record("stsc", setting="single-task")
    selection = select([make_record("l2sc", baseline=base.run_id)], beside=[base])
    assert labels_of(selection, ["nmi"]) == ["s", "l2sc", "stsc", "nmi"]
    assert tasks_of(selection) == ["a", "b"]


def test_names_are_read_from_texts_and_from_files_which_may_have_others():
    Path("names.txt").write_text("# of the paper\n\nstsc = Ours\nother=Theirs\n", encoding="utf-8")
    known = ["l2sc", "l2sc:lam=10", "stsc"]
    assert read_names(["l2sc:lam=10=L (x=1)", "names.txt"], known) == {
        "l2sc:lam=10": "L (x=1)", "stsc": "Ours", "other": "Theirs",
    }  # fmt: skip


def test_a_name_without_its_parameters_means_the_one_label_that_begins_so():
    Path("names.txt").write_text("l2sc=Ours\nnmi=N\n", encoding="utf-8")
    known = ["l2sc:lam=1", "l2sc:lam=10", "stsc:metric=euclidean", "tables:label=topic", "nmi"]
    assert read_names(["stsc=Alone", "tables=My data"], known) == {
        "stsc:metric=euclidean": "Alone", "tables:label=topic": "My data",
    }  # fmt: skip
    with pytest.raises(ParameterError, match="'l2sc' may be l2sc:lam=1 or l2sc:lam=10 here: write all of it"):
        read_names(["l2sc=Ours"], known)
    assert read_names(["names.txt"], known) == {"l2sc": "Ours", "nmi": "N"}  # a file may be for other tables, too
    assert read_names(["l2sc=Ours"], ["l2sc", "l2sc:lam=1"]) == {"l2sc": "Ours"}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["l2cs=X"], "nothing here is called 'l2cs'. Did you mean 'l2sc'?"),
        (["nothing"], "--names takes name=Text, or a file with such a line per name, not 'nothing', which is no file."),
        (["l2sc="], "--names takes name=Text"),
        (["l2sc=X", "stsc=X"], "--names calls 'l2sc' and 'stsc' 'X': give each a name of its own."),
    ],
)
def test_a_name_that_changes_nothing_or_is_given_twice_is_refused(given, sentence):
    with pytest.raises(ParameterError) as refused:
        read_names(given, ["l2sc", "stsc"])
    assert sentence in str(refused.value)


@pytest.mark.parametrize("given", [{"nmi": "Mine"}, ["nmi=Mine"]], ids=["mapping", "texts"])
def test_names_that_are_given_are_printed_and_for_a_paper_those_of_the_specs_as_well(given):
    selection = select([make_record("l2sc")])
    assert naming_of(selection, ["nmi"], given, paper=False).text("l2sc, nmi") == "l2sc, Mine"
    assert naming_of(selection, ["nmi"], given, paper=True).text("l2sc, nmi") == "L²SC, Mine"

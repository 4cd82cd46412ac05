"""A record that was edited costs its own run in every command that shows runs, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from edited_records import edit, older, write_older
from making import make_audited, make_record, make_results

import lcbench

BEST = {"scores": {"purity": [[9.0, None], [9.0, 9.0]]}}
CHANGED = "it was changed: its checksum does not fit"


@pytest.fixture
def file() -> Path:
    """The file of the last of three runs of a method."""
    runs = [make_record("m", repeat=repeat) for repeat in range(3)]
    return make_results(*runs).run_file(runs[2].run_id)


@pytest.mark.parametrize(
    ("change", "reason"), [(edit, CHANGED), (write_older, "its purity of 9 is outside of the range")]
)
def test_tables_name_it_with_the_reason_and_show_the_others(command, file, change, reason):
    change(file, **BEST)
    for arguments in (("results", "list", "--all"), ("compare",)):
        called = command(*arguments)
        assert called.code == 0, called.err
        assert (f"'{file}' is damaged" in called.err, reason in called.err) == (True, True)
        assert "900" not in called.out
    assert "runs 2" in called.lines
    assert any(line.startswith(f"Left out 1 damaged run: {file.name[:8]} (") for line in called.lines)
    assert file.exists()


def test_figures_pages_and_exports_name_it_and_show_the_others(command, file):
    edit(file, **BEST)
    for arguments in (
        ("plot", "cost", "--out", "a.svg"),
        ("report", "--out", "a.html"),
        ("results", "export", "a.csv"),
    ):
        called = command(*arguments)
        assert called.code == 0
        assert f"'{file}' is damaged ({CHANGED})" in called.err
    assert len({line.split(",")[0] for line in Path("a.csv").read_text().splitlines()[1:]}) == 2
    assert f"Left out 1 damaged run: {file.name[:8]} ({CHANGED})." in Path("a.html").read_text()


def test_a_record_of_an_older_lcbench_whose_audit_is_whole_is_judged(command):
    run = make_audited()
    file = make_results(run).run_file(run.run_id)
    file.write_bytes(older(file.read_bytes()))
    assert lcbench.load_results().runs[0].verified is False
    assert any("keeps a library" in line for line in command("results", "show", run.run_id).lines)

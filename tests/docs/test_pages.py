"""Pages about one thing each have all there is of it: every column, option, formula, kind of figure and field."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import typer
from typed_commands import typed

from lcbench.cli.app import build_app
from lcbench.records.formulas import FORMULAS
from lcbench.records.record import RunRecord
from lcbench.registry.host import plugin_host
from lcbench.report.comparison.sheets import AGAINST_COLUMNS
from lcbench.report.comparison.sheets import COLUMNS as COMPARED_COLUMNS
from lcbench.report.export import COLUMNS
from lcbench.report.figures.kind import figure_kinds
from lcbench.report.sheets.formats import FORMATS

COMPARE, DATA, FIGURES, FORMULAS_PAGE, RESULTS, STREAMS = (
    (Path(__file__).parents[2] / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("compare", "data", "figures", "formulas", "results", "streams")
)
DEFINED, WORKED = FORMULAS_PAGE.split("## Worked by hand")
R = [[0.80, 0.30, 0.25], [0.70, 0.82, 0.35], [0.74, 0.78, 0.85]]
SOLO, ALONE, A = [0.79, 0.74, 0.81], [0.70, 0.75, 0.80], [[1.0, None, None], [0.6, 1.0, None], [0.5, 0.9, 1.0]]
SAME_EVERYWHERE = (
    "schema", "run_id", "method", "label", "revision", "params", "setting", "stream", "stream_label", "stream_params",
    "stream_digest", "stream_tasks", "order", "seed", "repeat", "evaluate", "future", "threads", "tune", "choice",
    "status", "error", "traceback", "note", "baseline_run_id", "objective_trace",
)  # fmt: skip


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def commands(page: str) -> list[str]:
    return [line.split("  #")[0].strip() for block in blocks(page, "shell") for line in block.splitlines()]


def named_in_tables(page: str, title: str) -> list[str]:
    """The names in the first column of the tables in a section."""
    section = re.split(r"^## ", page.split(f"## {title}\n")[1], flags=re.MULTILINE)[0]
    return [name for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]


def called(line: str, folder: Path) -> str:
    """What a command prints."""
    done = typed(line, folder)
    assert done.returncode == 0, (line, done.stderr)
    assert "warning" not in done.stderr
    return done.stdout


def spelled(name: str) -> str:
    return name.replace("_", " ")


def test_every_column_of_the_compared_csv_is_explained_once():
    assert named_in_tables(COMPARE, "The columns of the CSV") == [*COMPARED_COLUMNS, *AGAINST_COLUMNS]


def test_every_option_and_format_of_compare_is_there():
    table = COMPARE.split("| option |")[1].split("\n\n")[0]
    command = typer.main.get_command(build_app()).commands["compare"]
    options = {param.opts[0].removeprefix("--") for param in command.params} - {"folders"}  # which have a section
    assert set(re.findall(r"--(\w+)", table)) == options
    assert r"\|".join(FORMATS) in table


def test_the_table_has_every_kind_and_each_kind_with_a_section_is_drawn_by_a_command_in_it():
    """`python docs/make_layout.py` writes the table anew."""
    rows = [f"| `{kind.name}` | {kind.summary} | {kind.per} |" for kind in figure_kinds()]
    assert re.findall(r"^\| `\w+` \| .* \| .* \|$", FIGURES, re.MULTILINE) == rows
    headings = re.findall(r"^## (.+)$", FIGURES, re.MULTILINE)
    sections = [name for heading in headings for name in heading.split(" and ")]
    assert [line.split()[2] for line in commands(FIGURES) if line.startswith("lcbench plot")] == sections
    assert set(sections) <= {kind.name for kind in figure_kinds()}


@pytest.mark.slow
def test_the_commands_about_figures_work_in_turn_and_each_draws_one(tmp_path):
    for line in commands(FIGURES):
        printed = called(line, tmp_path)
        if line.startswith("lcbench plot"):
            (written,) = printed.splitlines()
            assert (tmp_path / written).stat().st_size > 5000


def test_every_formula_stands_there_with_its_id():
    rows = re.findall(r"^\| ([a-z ]+) \| `(.+?)` \| (.+?) \| .+ \|$", DEFINED, re.MULTILINE)
    plain = [(name, id, formula.replace("Σ", "sum").replace("≤", "<=")) for name, id, formula in rows]
    assert plain == [(spelled(f.name), f.id, f.text) for f in FORMULAS]


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.name)
def test_what_is_worked_by_hand_is_what_is_computed(formula):
    (row,) = re.findall(rf"^\| {spelled(formula.name)} \| (.+?) \| (-?\d\.\d{{3}}) \|$", WORKED, re.MULTILINE)
    worked, result = row
    assert re.fullmatch(r"[\d.+\-/(), max]+", worked)
    value = formula.compute(R, solo=SOLO, alone=ALONE, agreement=A)
    assert eval(worked) == pytest.approx(value)
    assert f"{value:.3f}" == result


def test_every_field_of_a_run_file_is_explained_once():
    record = RunRecord("m", 1, {}, "lifelong", "s", {}, "", ("a",), 0, 0)
    assert sorted(named_in_tables(RESULTS, "A run file")) == sorted([*record.to_json(), "checksum"])


def test_every_column_of_an_export_is_explained_once():
    assert sorted(named_in_tables(RESULTS, "The columns of an export")) == sorted(COLUMNS)


def test_the_table_of_streams_has_the_sizes_that_their_specs_declare():
    table = STREAMS.split("\n## ")[0]
    for spec in plugin_host().registry.streams:
        (row,) = re.findall(rf"^\| `{spec.name}` \| (.+?) \| (.+?) \| (.+?) \|$", table, re.MULTILINE)
        shapes = spec.shapes({param.name: param.default for param in spec.params})
        samples = [shape.samples for shape in shapes]
        if row[0] not in ("any", "as webkb4"):
            written = {
                f"{len(shapes)} of {samples[0]}" if len(set(samples)) == 1 else "",
                f"{len(shapes)}: {', '.join(f'{number:,}' for number in samples)}",
                f"{len(shapes)}: {min(samples)} to {max(samples)}",
            }
            assert row[0].rpartition(" ")[0] in written
            assert row[1] == " or ".join(map(str, sorted({shape.clusters for shape in shapes})))
        for number in re.findall(r"([\d,]+) (?:words|features)", row[2]):
            assert {shape.features for shape in shapes} == {int(number.replace(",", ""))}


def test_the_table_of_wheels_has_their_sizes_and_all_streams_that_come_from_each():
    wheels = {}
    for spec in plugin_host().registry.streams:
        if spec.data and spec.data.requirement:
            wheels.setdefault((spec.data.requirement, f"{spec.data.size / 1e6:.2g} MB"), set()).add(spec.name)
    rows = re.findall(r"^\| `(\S+==\S+)` \| (\S+ MB) \| (.+) \|$", DATA, re.MULTILINE)
    assert {(wheel, size): set(re.findall(r"`(\S+)`", names)) for wheel, size, names in rows} == wheels


@pytest.mark.slow
def test_the_commands_about_results_work_in_turn_and_the_run_is_the_one_that_is_shown(tmp_path):
    (shown,) = map(json.loads, blocks(RESULTS, "json"))
    assert len(commands(RESULTS)) == 7
    stored = None
    for line in commands(RESULTS):
        called(line, tmp_path)
        if stored is None:
            (file,) = (tmp_path / "lcbench-results" / "runs").iterdir()
            stored = json.loads(file.read_text())
    assert list(stored) == list(shown)
    assert {key: stored[key] for key in SAME_EVERYWHERE} == {key: shown[key] for key in SAME_EVERYWHERE}
    assert shown["scores"].keys() == shown["summary"].keys() <= stored["scores"].keys()
    assert (tmp_path / "runs.csv").read_text().count("\n") == 1 + 3 * len(stored["scores"])
    assert list((tmp_path / "lcbench-results" / "runs").iterdir()) == []

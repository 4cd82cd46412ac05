from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from making import make_record

from lcbench.analysis.selection import select
from lcbench.errors import ParameterError
from lcbench.report.figures import kinds
from lcbench.report.figures.kind import figure_kinds, find_kind


def test_each_kind_is_the_file_of_its_name_and_they_stand_in_the_order_of_their_names():
    files = sorted(path.stem for path in Path(kinds.__path__[0]).glob("[!_]*.py"))
    assert [kind.name for kind in figure_kinds()] == files
    assert all(sys.modules[f"{kinds.__name__}.{name}"].KIND is find_kind(name) for name in files)


@pytest.mark.parametrize("kind", figure_kinds(), ids=lambda kind: kind.name)
def test_each_kind_draws_figures_from_runs_that_have_all_it_needs(kind):
    runs = [
        make_record(
            f"{method}:lam={lam}", [0.1] * len(order), order=order, stream_tasks=tuple("abc"), stream=stream,
            params={"lam": lam}, objective_trace=[[1.0]] * len(order),
        )
        for stream in ("s1", "s2", "s3", "s4", "s5")
        for order in ("abc", "cba", "ab")
        for method, lam in (("m", 1), ("m", 2), ("n", 1))
    ]  # fmt: skip
    assert kind.charts(select(runs, parts=kind.parts, candidates=kind.candidates), ["purity"])


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is missing"),
        ("KIND = 3", "is missing"),
        ("from lcbench.report.figures.kinds.lifelong import KIND", "is called 'lifelong'"),
    ],
)
def test_a_file_without_a_kind_of_its_name_is_named_with_what_to_write(tmp_path, monkeypatch, text, what):
    (tmp_path / "violin.py").write_text(text)
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(tmp_path)])
    with pytest.raises(ParameterError, match=rf"violin\.py' {what}: end the file with KIND = Kind\(name='violin'"):
        figure_kinds()
    sys.modules.pop(f"{kinds.__name__}.violin")


def test_an_unknown_kind_is_refused_with_the_nearest_name():
    with pytest.raises(ParameterError, match=r"There is no figure 'lifelon'\. Did you mean 'lifelong'\?"):
        find_kind("lifelon")


def test_without_a_figure_the_reason_and_options_that_help_are_named():
    done, failed = select([make_record()]), select([make_record(status="failed")])
    orders, convergence = find_kind("orders"), find_kind("convergence")
    advice = "'lcbench run' with --order random --repeats 10 makes such runs"
    assert orders.nothing_to_draw(done) == f"There is nothing to draw: {orders.lacking}: {advice}."
    assert convergence.nothing_to_draw(done) == f"There is nothing to draw: {convergence.lacking}."
    assert "no run that fits came to its end" in orders.nothing_to_draw(failed)


def test_charts_of_all_kinds_are_made_without_importing_matplotlib():
    code = """if True:
        import sys
        from lcbench.analysis.selection import select
        from lcbench.errors import ParameterError
        from lcbench.report.figures.kind import figure_kinds
        for kind in figure_kinds():
            try:
                assert kind.charts(select([]), ["purity"]) == []
            except ParameterError:
                assert kind.name == "ranks"
        print("matplotlib" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

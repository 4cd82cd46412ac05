"""Every option is described once: here its checks, its places, and the command that repeats an experiment."""

from __future__ import annotations

import inspect
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from making import make_stream
from small_methods import ByTurns

import lcbench
from lcbench.cli.run import run as run_command
from lcbench.errors import ExperimentFileError, ParameterError
from lcbench.experiment.experiment_file import read_experiment_file
from lcbench.experiment.grids import Grid
from lcbench.experiment.options import OPTIONS, Experiment
from lcbench.experiment.orders import ORDERS
from lcbench.experiment.planning import plan_experiment

DEFAULTS = {name: field.default for name, field in Experiment.__dataclass_fields__.items()}
COUNT, FLAG, TEXTS = "a whole number of at least 1", "true or false", "a text or a list of texts"
ENTRIES = "a text, a list of texts, or a table of names with a text each"
NOT_SAID = ("jobs", "results", "fresh", "retry_failed")  # what does not change the runs


@pytest.mark.parametrize(
    ("name", "values", "used"),
    [
        ("methods", ["l2sc", ["l2sc"], ("l2sc",), iter(["l2sc"])], ("l2sc",)),
        ("methods", [{"mine": "l2sc"}], {"mine": "l2sc"}),
        ("streams", ["digits", ["digits"]], ("digits",)),
        ("streams", [Path("news")], (Path("news"),)),
        ("plugins", ["m.py", ["m.py"], Path("m.py"), iter([Path("m.py")])], ("m.py",)),
        ("plugins", [[], ()], ()),
        ("order", ["random"], "random"),
        ("order", [["a", "b"], ("a", "b")], ("a", "b")),
        ("metrics", ["nmi", ["nmi"], {"nmi": 1}.keys()], ("nmi",)),
        ("audit", ["poison", ["poison", "measure"]], ("measure", "poison")),
        ("audit", [[]], ("measure",)),
        ("grid", ["m.p=1,2", iter(["m.p=1,2"])], (Grid("m", "p", ("1", "2")),)),
        ("grid", [{"m": {"p": [1, 2]}}, {"m": {"p": iter([1, 2])}}], (Grid("m", "p", (1, 2)),)),
        ("grid", [{"m": {"p": "paper"}}], (Grid("m", "p", ("paper",)),)),
        ("grid", [None, {}, []], None),
        ("timeout", ["5min", 300, "300", "300s"], 300.0),
        ("memory_limit", ["2GB", 2 * 10**9], 2 * 10**9),
        ("jobs", [2], 2),
        ("jobs", [None], None),
        ("tune_metric", ["nmi"], "nmi"),
        ("name", ["for table 2"], "for table 2"),
        ("name", [None], None),
        ("solo", [True], True),
        ("solo", [False], False),
        ("solo", [None], None),
        ("results", ["r"], "r"),
    ],
)
def test_what_an_option_takes_is_turned_into_one_form(name, values, used):
    for value in values:
        asked = Experiment(**{name: value})
        assert getattr(asked, name) == used
        assert Experiment(**{name: used}) == asked


@pytest.mark.parametrize(
    ("name", "values", "rule"),
    [
        ("methods", [3, [], {}, "", " ", ["l2sc", 1], None], ENTRIES),
        ("streams", [3, [], {}, b"digits", [["digits"]]], ENTRIES),
        ("plugins", [3, "", [3], b"m.py", {"m": "m.py"}, None], "the path of a Python file, or a list of them"),
        ("order", [[], "", 3, ["a", 1], {"a": 1}], f"{', '.join(ORDERS)}, or a list of task names"),
        ("repeats", [0, 1.0, "3", True, None], COUNT),
        ("seed", [-1, 0.5, None, False], "a whole number of at least 0"),
        ("grid", [3, [3]], "tables such as [grid.l2sc]"),
        ("tune_metric", ["", 3], "the name of a metric"),
        ("name", ["", 3, ["a"]], "a text"),
        ("metrics", [3, [""], {"a": "nmi"}, None], TEXTS),
        ("evaluate", [1, ""], "all, last or every:N with N of at least 1"),
        ("future", [1, "yes", None], FLAG),
        ("baselines", [0, None], FLAG),
        ("solo", [0, 1, "yes"], FLAG),
        ("audit", [3, [3], None], TEXTS),
        ("jobs", [0, True, 1.5], COUNT),
        ("threads", [0, None], COUNT),
        ("results", ["", 3, ["r"], {}, object], "the name of a folder"),
        ("fresh", [1], FLAG),
        ("retry_failed", ["yes"], FLAG),
    ],
)
def test_what_an_option_does_not_take_is_refused_with_its_name_rule_and_value(name, values, rule):
    for value in values:
        with pytest.raises(ParameterError) as refused:
            Experiment(**{name: value})
        assert str(refused.value) == f"{name} takes {rule}, not {value!r}."


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("tune", "orcale", "tune takes none, oracle, first-task, silhouette, not 'orcale'. Did you mean 'oracle'?"),
        ("tune", [], "tune takes none, oracle, first-task, silhouette, not []."),
        ("audit", "poisson", "There is no audit 'poisson'. Did you mean 'poison'?"),
        ("evaluate", "every:0", "evaluate takes all, last or every:N with N of at least 1, not 'every:0'."),
        ("timeout", 0, "0 is not a duration above 0 such as 60s, 5min or 1.5h."),
        ("memory_limit", "lots", "'lots' is not a size of at least one byte such as 512MB, 2GB or 1.5GiB."),
        ("grid", "paper", "'paper' is no grid: write METHOD.param=value,value or METHOD.param=NAME."),
        ("grid", {"l2sc": [1]}, 'A grid is a mapping such as {"l2sc": {"lam": [0.1, 1]}}; that of l2sc is none.'),
    ],
)
def test_some_options_say_more_of_what_is_wrong(name, value, sentence):
    with pytest.raises(ParameterError) as refused:
        Experiment(**{name: value})
    assert str(refused.value) == sentence


def test_every_default_is_a_value_that_its_option_takes():
    assert {name: getattr(Experiment(), name) for name in OPTIONS} == DEFAULTS


def test_the_python_function_has_the_same_options_with_the_same_defaults():
    parameters = dict(inspect.signature(lcbench.run).parameters)
    assert parameters.pop("listeners").default == ()
    assert parameters.pop("progress").default is None
    found = {"results" if name == "out" else name: parameter.default for name, parameter in parameters.items()}
    assert found == DEFAULTS


def test_every_option_is_on_the_command_line_under_its_flags_with_its_help():
    found = {parameter.name: parameter for parameter in command().params}
    for name, option in OPTIONS.items():
        assert {*found[name].opts, *found[name].secondary_opts} == set(option.flags), name
        assert found[name].help == option.help


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_a_key_of_files_if_it_is_described_so(name):
    Path("x.toml").write_text(f"{name} = 07:32:00")  # a time of day, which no option takes
    with pytest.raises(ExperimentFileError) as refused:
        read_experiment_file("x.toml")
    option = OPTIONS[name]
    said = f"{name} must be {option.rule}, not" if option.in_file else f"there is no setting '{name}'"
    assert str(refused.value).startswith(f"x.toml: {said}")
    assert option.in_file == (name not in ("fresh", "retry_failed"))


@cache
def command() -> Any:
    """The command `lcbench run`, made once: that takes longer than to call it."""
    app = typer.Typer()
    app.command()(run_command)
    return typer.main.get_command(app)


def asked_by(line: str) -> Experiment:
    """The experiment that a command line asks for, through the real `lcbench run`."""
    found: list[Experiment] = []

    def prepare(asked: Experiment) -> None:
        found.append(asked)
        raise typer.Exit

    program, verb, *words = shlex.split(line)
    assert (program, verb) == ("lcbench", "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lcbench.experiment.pipeline.prepare", prepare)
        patch.setattr("lcbench.running.threads.set_thread_variables", lambda _: None)
        assert command().main(words, prog_name="lcbench run", standalone_mode=False) == 0
    return found[0]


def planned_ids(asked: Experiment) -> tuple[list[str], list[str], list[str]]:
    """The ids and labels of all runs, and the ids of those that are chosen among them."""
    plan = plan_experiment(asked)
    labels = [f"{planned.record.stream_label} {planned.record.label}" for planned in plan]
    return [planned.run_id for planned in plan], labels, [tuned.run_id for tuned in plan.tuned]


def assert_repeated(asked: Experiment) -> None:
    """The command of an experiment plans the same runs, with the same limits, audits and metrics."""
    again = asked_by(asked.command)
    assert planned_ids(again) == planned_ids(asked)
    assert again.command == asked.command
    for name in set(OPTIONS) - {"methods", "streams", "grid", "order", *NOT_SAID}:
        assert getattr(again, name) == getattr(asked, name), name


@pytest.fixture(scope="module")
def news(tmp_path_factory) -> Path:
    """A folder with a space in its name that holds two tasks."""
    folder = tmp_path_factory.mktemp("my data") / "the news"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.csv").write_text("size,topic\n1,x\n2,y\n3,x\n4,y\n")
    return folder


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"methods": ["strong=l2sc:lam=10", "kmeans"], "streams": 'digits:classes="1,4,7",per_class=12', "order": "all"},
        {"methods": {"a": "l2sc:lam=0.125,affinity=full", "b": "x=stsc"}, "streams": {"d": "digits", "t": "topics"}},
        {"methods": "usc", "streams": ["digits", "topics:tasks=6"], "order": "random", "repeats": 3, "seed": 7},
        {"order": ["task-3", "task-1", "task-2"], "repeats": 2},
        {"order": "leave-one-out", "evaluate": "last", "future": True, "threads": 2, "baselines": False},
        {"methods": "l2sc", "grid": {"l2sc": {"lam": [0.1, 1e-7, 3], "k": [None, "none", 3]}}},
        {"methods": "l2sc", "grid": ["l2sc.lam=paper", "l2sc.mu=paper"], "tune": "silhouette"},
        {"methods": ["l2sc", "kmeans"], "grid": ["l2sc.lam=0.1,1"], "tune": "oracle", "tune_metric": "nmi"},
        {"methods": "stsc", "grid": {"stsc": {"sigma": ["median", 0.5], "normalize_rows": [True, False]}}},
        {"metrics": ["ri", "silhouette"], "audit": ["isolate", "poison"], "timeout": "1.5h", "memory_limit": "2GiB"},
        {"timeout": 0.1, "memory_limit": 7, "jobs": 2, "results": "my results", "fresh": True, "retry_failed": True},
        {"timeout": 1234567.0},
        {"solo": True, "name": "for table 2"},
        {"solo": False, "name": "it's"},
    ],
    ids=str,
)  # fmt: skip
def test_the_command_of_an_experiment_plans_the_same_runs(options):
    assert_repeated(Experiment(**options))


def test_the_command_names_folders_with_spaces(news):
    for streams in (f"{news}:label=topic", [f"mine={news}:label=topic"], {"mine": f"{news}:label=topic"}):
        asked = Experiment(methods="kmeans", streams=streams, order="b,a")
        assert len(plan_experiment(asked)) == 1
        assert_repeated(asked)


def test_the_command_quotes_tasks_whose_names_hold_a_comma(tmp_path):
    for name in ("b,c", "site A"):
        (tmp_path / f"{name}.csv").write_text("u,v,y\n0,1,0\n2,3,1\n4,6,0\n5,7,1\n")
    for order in ('"b,c", site A', ["site A", "b,c"]):
        asked = Experiment(methods="kmeans", streams=f"{tmp_path}:label=y", order=order)
        assert {planned.order for planned in plan_experiment(asked)} <= {("b,c", "site A"), ("site A", "b,c")}
        assert_repeated(asked)


some = st.fixed_dictionaries(
    {},
    optional={
        "methods": st.lists(st.sampled_from(["l2sc", "stsc", "own=kmeans:n_init=2", "usc"]), min_size=1, unique=True),
        "streams": st.lists(st.sampled_from(["digits", "small=digits:tasks=3,seed=1"]), min_size=1, unique=True),
        "order": st.sampled_from(["random", "all", "leave-one-out", "task-2,task-1", ("task-2",)]),
        "repeats": st.integers(1, 3),
        "seed": st.integers(0, 2**40),
        "metrics": st.lists(st.sampled_from(["nmi", "ri"])),
        "evaluate": st.sampled_from(["last", "every:2", "every:1"]),
        "future": st.booleans(),
        "baselines": st.booleans(),
        "solo": st.none() | st.booleans(),
        "name": st.sampled_from(["mine", "for table 2"]),
        "audit": st.lists(st.sampled_from(["measure", "isolate", "poison"])),
        "threads": st.integers(1, 64),
        "timeout": st.floats(1e-3, 1e9) | st.sampled_from(["5min", "90"]),
        "memory_limit": st.integers(1, 2**60),
        "gridded": st.fixed_dictionaries(
            {"lam": st.lists(st.floats(0, 1e6) | st.integers(0, 9), min_size=1, max_size=3)},
            optional={"k": st.lists(st.none() | st.integers(1, 9), min_size=1, max_size=2)},
        ),
        "tune": st.sampled_from(["oracle", "silhouette"]),
    },
)  # fmt: skip


@settings(deadline=None, max_examples=30)
@given(some)
def test_the_commands_of_any_experiments_plan_the_same_runs(options):
    points = options.pop("gridded", None)
    if points is None:
        options.pop("tune", None)
    else:
        options |= {"grid": {"l2sc": points}, "methods": ["l2sc"]}
    assert_repeated(Experiment(**options))


@pytest.mark.parametrize(
    "options",
    [
        {"methods": ByTurns()},
        {"methods": ["l2sc", ByTurns()]},
        {"methods": {"mine": ByTurns()}},
        {"methods": {"my l2sc": "l2sc"}},
        {"streams": make_stream()},
        {"streams": {"our blobs": "digits"}},
        {"streams": Path("news")},
        {"order": ["random"]},
        {"order": ['a"b', "c"]},
        {"order": [" a", "c"]},
        {"methods": "kmeans", "grid": {"kmeans": {"n_init": ['"', 2]}}},
        {"methods": "kmeans", "grid": {"kmeans": {"n_init": ["", 2]}}},
    ],
    ids=str,
)
def test_what_a_command_line_cannot_say_has_no_command(options):
    assert Experiment(**options).command is None


@pytest.mark.parametrize("option", ["methods", "streams", "plugins", "order", "name", "metrics", "results"])
def test_no_text_may_hold_a_null_character(option):
    with pytest.raises(ParameterError, match=f"^{option} takes "):
        Experiment(**{option: "a\0b"})


@pytest.mark.parametrize("name", ["a.csv", "figures.PDF", "x/table.tex", Path("a.json")])
def test_the_name_of_a_file_is_no_folder_for_results(name):
    with pytest.raises(ParameterError, match=f"^Results are a folder, and '{name}' is the name of a file"):
        Experiment(results=name)
    Path(name).mkdir(parents=True)
    assert Experiment(results=name).results == name
    assert Experiment(results="results.v2").results == "results.v2"

"""Change the core a hundred times, each time in one small place, and see which changes the tests notice.

`python tests/mutants.py` makes 100 mutants of `lcbench/` and runs, for each, tests that execute the changed line.
A mutant is killed when a test fails. One that survives shows a line that no test holds to what it does, or a change
that makes no difference. All happens in copies of the checkout, in a temporary folder.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from itertools import count, pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = [file.name for file in ROOT.glob("*.md")]
COPIED = ("lcbench", "plugins", "task_streams", "tests", "docs", "pyproject.toml", *PAGES)
LEFT_OUT = ("tests/docs", "tests/benchmarks")
MOST_PER_FUNCTION = 2
ENOUGH_TESTS = 10  # with fewer that execute the changed line, tests that come near it are run too
SHARES = (16, 4, 1)  # tests of a file per round: of the module's namesake, of its folder, of another folder

OPERATORS: dict[type[ast.AST], tuple[str, str]] = {  # what stands in the source, and what takes its place
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: (r"\bin\b", "not in"), ast.NotIn: (r"\bnot\s+in\b", "in"),
    ast.Is: (r"\bis\b", "is not"), ast.IsNot: (r"\bis\s+not\b", "is"), ast.And: (r"\band\b", "or"),
    ast.Or: (r"\bor\b", "and"), ast.Add: (r"\+", "-"), ast.Sub: ("-", "+"), ast.Mult: (r"\*", "/"), ast.Div: ("/", "*"),
}  # fmt: skip
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Lines = tuple[int, int]
Change = tuple[str, int, int, str]  # kind, first byte, byte after the last, new text


@dataclass
class Mutant:
    """One small change of one file, and how it fared."""

    path: str
    function: str  # the qualified name within the module; of a constant outside functions, its own name
    kind: str
    start: int  # bytes of the file
    end: int
    old: str
    new: str
    text: str  # the line of the source that is changed
    rank: str  # a hash of function, node and kind, not of the file nor the place in it: the lowest are taken
    node: Lines
    body: Lines | None  # of the function; None outside functions
    line: int
    tests: list[str] = field(default_factory=list)
    outcome: str = ""
    killed_by: str = ""

    def apply(self, source: bytes) -> bytes:
        """The source with the change in it."""
        return source[: self.start] + self.new.encode() + source[self.end :]

    def __str__(self) -> str:
        old, new = (f"{' '.join(text.split()):.70}" for text in (self.old, self.new))
        where = "" if len(old) > 20 else f"   in: {self.text}"
        return f"{self.path}:{self.line} {self.function or '<module>'}: {old} -> {new}{where}"


class Finder:
    """All places of one file that can be changed."""

    def __init__(self, path: str, source: bytes, seed: int) -> None:
        self.path, self.source, self.seed = path, source, seed
        self.lines = source.splitlines(keepends=True)
        self.starts = [sum(map(len, self.lines[:number])) for number in range(len(self.lines))]
        self.seen: Counter[tuple[str, str, str]] = Counter()
        self.found: list[Mutant] = []
        self.visit(ast.parse(source))

    def visit(self, node: ast.AST, scope: str = "", body: Lines | None = None, default: bool = False) -> None:
        """Note what can be changed at a node and below it; `scope` and `body` are of the function around."""
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            scope = f"{scope}.{node.name}".lstrip(".")
            body = (node.body[0].lineno, node.end_lineno) if isinstance(node, FUNCTIONS) else body
        elif body is None and isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            scope = f"{scope}.{ast.unparse(target)}".lstrip(".")
        for kind, start, end, new in self.changes(node, default):
            part = node.test if isinstance(node, ast.If) else node
            identity = (scope, kind, ast.dump(part))
            self.seen[identity] += 1
            rank = hashlib.sha256(repr((self.seed, *identity, self.seen[identity])).encode()).hexdigest()
            line, old = self.source.count(b"\n", 0, start) + 1, self.source[start:end].decode()
            text, span = self.lines[line - 1].decode().strip(), (part.lineno, part.end_lineno)
            self.found.append(Mutant(self.path, scope, kind, start, end, old, new, text, rank, span, body, line))
        for child in below(node):
            self.visit(child, scope, body, default=isinstance(node, ast.arguments))

    def changes(self, node: ast.AST, default: bool) -> Iterator[Change]:
        """The changes of one node; `default` if it is the default of an argument."""
        match node:
            case ast.Compare():
                for op, (left, right) in zip(node.ops, pairwise([node.left, *node.comparators]), strict=True):
                    yield from self.swap("comparison", op, left, right)
            case ast.BoolOp():
                for left, right in pairwise(node.values):
                    yield from self.swap("and/or", node.op, left, right)
            case ast.BinOp() if not any(is_text(side) for side in (node.left, node.right)):
                yield from self.swap("arithmetic", node.op, node.left, node.right)
            case ast.AugAssign():
                yield from self.swap("arithmetic", node.op, node.target, node.value)
                yield "statement", *self.span(node), "pass"
            case ast.Expr(value=ast.Call()):
                yield "statement", *self.span(node), "pass"
            case ast.UnaryOp(op=ast.Not()):
                start, end = self.span(node)
                yield "not", start, end, self.source[start + len("not") : end].decode().lstrip()
            case ast.Constant(value=bool() | int() | float() | str() as value) if default or isinstance(value, int):
                kind = "default" if default else "true/false" if isinstance(value, bool) else "integer"
                new = not value if isinstance(value, bool) else value + ("x" if isinstance(value, str) else 1)
                yield kind, *self.span(node), repr(new)
            case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
                yield "return", *self.span(value), "None"
            case ast.Break() | ast.Continue():
                yield "break/continue", *self.span(node), "continue" if isinstance(node, ast.Break) else "break"
            case ast.If(test=test) | ast.IfExp(test=test) if not (negated_elsewhere(test) or is_guard(node)):
                start, end = self.span(test)
                yield "condition", start, end, f"not ({self.source[start:end].decode()})"

    def swap(self, kind: str, op: ast.AST, left: ast.expr, right: ast.expr) -> Iterator[Change]:
        """Another operator between two operands, if this one has a counterpart."""
        old, new = OPERATORS.get(type(op), ("(?!)", ""))
        (_, first), (last, _) = self.span(left), self.span(right)
        if hit := re.search(old.encode(), self.source[first:last]):
            yield kind, first + hit.start(), first + hit.end(), new

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The first byte of a node, and the one after its last."""
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset


def below(node: ast.AST) -> list[ast.AST]:
    """The parts of a node that may be changed: no annotations, no messages, no `__all__`, nothing for type checkers."""
    match node:
        case ast.If() if is_guard(node):
            return [*node.orelse]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            empty = all(isinstance(getattr(each, "value", None), ast.Constant) for each in node.body)
            return [*node.decorator_list, *([] if empty else [node.args]), *node.body]
        case ast.ClassDef():
            return [*(each for each in node.decorator_list if "dataclass" not in ast.unparse(each)), *node.body]
        case ast.arguments():
            return [each for each in (*node.defaults, *node.kw_defaults) if each is not None]
        case ast.AnnAssign():
            return [] if node.value is None else [node.value]
        case ast.Raise():  # an exit code may be changed, a message not
            return [each for each in getattr(node.exc, "args", ()) if isinstance(each, ast.Constant)]
        case ast.JoinedStr() | ast.Assign(targets=[ast.Name(id="__all__")]):
            return []
        case ast.Call(func=ast.Attribute(value=ast.Name(id="logger" | "logging" | "warnings"))):
            return []
    return list(ast.iter_child_nodes(node))


def is_guard(node: ast.AST) -> bool:
    """Whether this is `if TYPE_CHECKING:` or `if __name__ == "__main__":`."""
    return isinstance(node, ast.If) and bool(re.search(r"\bTYPE_CHECKING\b|\b__name__\b", ast.unparse(node.test)))


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def negated_elsewhere(test: ast.expr) -> bool:
    """Whether another kind of change negates this condition already."""
    if isinstance(test, ast.Compare):  # < becomes <= elsewhere, and that is not the negation
        return len(test.ops) == 1 and not isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE)
    return isinstance(test, ast.Constant) or (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))


def pick_mutants(number: int, seed: int) -> list[Mutant]:
    """The places of lowest rank, at most two in a function."""
    sources = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in sorted(ROOT.glob("lcbench/**/*.py"))}
    found = [mutant for path, source in sources.items() for mutant in Finder(path, source, seed).found]
    picked: list[Mutant] = []
    taken: Counter[tuple[str, str]] = Counter()
    for mutant in sorted(found, key=lambda each: (each.rank, each.path)):
        if len(picked) < number and taken[mutant.path, mutant.function] < MOST_PER_FUNCTION:
            source = sources[mutant.path]
            with contextlib.suppress(SyntaxError):
                if ast.dump(ast.parse(mutant.apply(source))) != ast.dump(ast.parse(source)):
                    taken[mutant.path, mutant.function] += 1
                    picked.append(mutant)
    print(f"{len(found)} places can be changed; {len(picked)} are.", flush=True)
    return picked


class Copy:
    """A private copy of the checkout, in which tests run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root, self.report = folder, folder / "checkout", folder / "report.xml"
        self.root.mkdir(parents=True)
        for each in map(ROOT.joinpath, COPIED):
            if each.is_dir():
                shutil.copytree(each, self.root / each.name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
            else:
                shutil.copy(each, self.root)
        paths = [str(self.root), str(self.root / "plugins"), str(self.root / "task_streams")]
        self.environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([*paths, *filter(None, [os.environ.get("PYTHONPATH")])]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CI": "1",  # hypothesis then draws the same examples every time, and keeps none
        }
        if data := os.environ.get("LCBENCH_DATA"):
            self.environment["LCBENCH_DATA"] = str(Path(data).resolve())
        command = [sys.executable, "-c", "import lcbench; print(lcbench.__file__)"]
        at = subprocess.run(command, cwd=folder, env=self.environment, stdout=subprocess.PIPE, text=True).stdout.strip()
        if not Path(at).is_relative_to(self.root):
            sys.exit(f"The tests would run on '{at}' and not on the copy in '{self.root}'.")

    def pytest(self, *options: str, tests: list[str], timeout: float | None = None) -> int | None:
        """Run tests; the exit code of pytest, None when time ran out."""
        self.report.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={self.folder / 'tmp'}"]
        command += [f"--junitxml={self.report}", "-o", "junit_family=xunit1", *options, *tests]
        with (self.folder / "output.txt").open("wb") as output:
            streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
            process = subprocess.Popen(command, cwd=self.root, env=self.environment, start_new_session=True, **streams)
            try:
                return process.wait(timeout)
            except subprocess.TimeoutExpired:
                return None
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def results(self) -> dict[str, tuple[str, float]]:
        """Of each test function that was run, with all its parameters: skipped, passed or failed, and its seconds."""
        found: dict[str, tuple[str, float]] = {}
        for case in ET.parse(self.report).iter("testcase") if self.report.exists() else ():
            file, name = case.get("file", ""), case.get("name", "").partition("[")[0]
            classes = case.get("classname", "").removeprefix(file.removesuffix(".py").replace("/", "."))
            test = "::".join([file, *filter(None, classes.split(".")), name])
            tags = {part.tag for part in case}
            outcome = "failed" if tags & {"failure", "error"} else "skipped" if "skipped" in tags else "passed"
            known, seconds = found.get(test, ("skipped", 0))
            worst = max(known, outcome, key=["skipped", "passed", "failed"].index)
            found[test] = (worst, seconds + float(case.get("time", 0)))
        return found


def run_in_parts(copies: list[Copy], tests: Iterable[str], *options: str) -> dict[str, tuple[str, float]]:
    """Run tests on unchanged copies, each its own files; the results of all."""
    files = sorted({*map(file_of, tests)})

    def run(copy: Copy, number: int) -> dict[str, tuple[str, float]]:
        part = [test for test in sorted(tests) if files.index(file_of(test)) % len(copies) == number]
        if part and copy.pytest(*options, tests=part) not in (0, 1):
            sys.exit("The tests could not be run:\n" + (copy.folder / "output.txt").read_text(encoding="utf-8")[-3000:])
        return copy.results() if part else {}

    with ThreadPoolExecutor(len(copies)) as pool:
        return {test: result for results in pool.map(run, copies, count()) for test, result in results.items()}


class Recording:
    """Which test executes which lines, and how long it takes: all tests once under coverage, kept in a folder."""

    def __init__(self, cache: Path, copies: list[Copy]) -> None:
        kept, self.root = cache / "tests.json", copies[0].root
        if find_spec("pytest_cov") is None:
            sys.exit("Which test executes which line is found with pytest-cov: pip install pytest-cov")
        if not kept.exists():
            print("All tests are run once under coverage, which takes some minutes.", flush=True)
            cache.mkdir(parents=True, exist_ok=True)
            settings = cache / "coverage.ini"
            settings.write_text("[run]\nrelative_files = true\ndata_file = coverage.db\n", encoding="utf-8")
            files = [path.relative_to(self.root).as_posix() for path in self.root.glob("tests/**/test_*.py")]
            options = ["--cov=lcbench", "--cov-context=test", "--cov-report=", f"--cov-config={settings}"]
            results = run_in_parts(copies, [file for file in files if not file.startswith(LEFT_OUT)], *options)
            for number, copy in enumerate(copies):
                shutil.move(copy.root / "coverage.db", cache / f"{number}.db")
            kept.write_text(json.dumps(results), encoding="utf-8")
        from coverage import CoverageData

        self.data = [CoverageData(str(path)) for path in sorted(cache.glob("*.db"))]
        for each in self.data:
            each.read()
        results = json.loads(kept.read_text(encoding="utf-8"))
        self.seconds = {test: seconds for test, (outcome, seconds) in results.items() if outcome != "skipped"}

    def choose(self, mutant: Mutant, most: int, seconds: float) -> list[str]:
        """The tests for a mutant, file by file: at most so many, that take at most so long."""
        # What stands outside functions is executed by the import alone: any test of the module is near it.
        spans = [mutant.node, mutant.body] if mutant.body else [(0, sys.maxsize)]
        chosen: list[str] = []
        for pool in [*(self.executing(mutant.path, *span) for span in spans), self.by_name(mutant.path)]:
            if len(chosen) < ENOUGH_TESTS:
                for test in self.ordered(pool - {*chosen}, mutant.path):
                    spent = sum(self.seconds[each] for each in [*chosen, test])
                    if len(chosen) < most and (not chosen or spent <= seconds):
                        chosen.append(test)
        files = list(dict.fromkeys(map(file_of, chosen)))
        return sorted(chosen, key=lambda test: files.index(file_of(test)))

    def executing(self, path: str, first: int, last: int) -> set[str]:
        """The tests that execute one of these lines in their own process."""
        lines = [item for data in self.data for item in data.contexts_by_lineno(path).items()]
        contexts = {each for line, found in lines if first <= line <= last for each in found}
        return {each.partition("|")[0].partition("[")[0] for each in contexts}

    def ordered(self, tests: set[str], path: str) -> list[str]:
        """Quick tests first, in rounds: few of each file, most of the module's namesake."""
        places: defaultdict[str, count[int]] = defaultdict(count)
        quick = sorted(tests & self.seconds.keys(), key=lambda test: (self.seconds[test], test))
        near = {test: nearness(file_of(test), path) for test in quick}
        rounds = {test: next(places[file_of(test)]) // SHARES[near[test]] for test in quick}
        return sorted(quick, key=lambda test: (rounds[test], near[test]))

    def by_name(self, path: str) -> set[str]:
        """Tests in files that mention the module or lie in its folder: for code that runs in processes of its own."""
        module = re.escape(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        nearest = 1 if path.count("/") > 1 else 0
        texts = {file: (self.root / file).read_text(encoding="utf-8") for file in {*map(file_of, self.seconds)}}
        files = {file for file in texts if nearness(file, path) <= nearest or re.search(rf"\b{module}\b", texts[file])}
        return {test for test in self.seconds if file_of(test) in files}


def file_of(test: str) -> str:
    return test.partition("::")[0]


def nearness(file: str, path: str) -> int:
    """0 for a test file of the module's name or in a folder of that name, 1 for one of the module's folder, else 2."""
    module, test = Path("tests", path).with_suffix(""), Path(file)
    if test == module.with_name(f"test_{module.name}.py") or test.parent == module:
        return 0
    return 1 if test.parent == module.parent else 2


def control(tests: set[str], copies: list[Copy], cache: Path) -> set[str]:
    """Run the tests on unchanged copies, unless that is known; those that do not pass are named, and returned."""
    kept = cache / "control.json"
    known: dict[str, str] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    if new := tests - known.keys():
        print(f"{len(new)} tests are run without any change first.", flush=True)
        known |= {test: outcome for test, (outcome, _) in run_in_parts(copies, new).items()}
        kept.write_text(json.dumps(known), encoding="utf-8")
    bad = {test: known.get(test, "missing") for test in sorted(tests) if known.get(test) != "passed"}
    for test, outcome in bad.items():
        print(f"left out, {outcome} without any change: {test}", flush=True)
    return {*bad}


def try_out(mutant: Mutant, copy: Copy, timeout: float) -> None:
    """Run the mutant's tests with the change in a copy, note the outcome; what kills must pass without the change."""
    if not mutant.tests:
        mutant.outcome, mutant.killed_by = "survived (no test reaches it)", ""
        return
    file = copy.root / mutant.path
    source = file.read_bytes()
    file.write_bytes(mutant.apply(source))
    code = copy.pytest("-x", tests=mutant.tests, timeout=timeout)
    file.write_bytes(source)
    mutant.outcome = "timeout" if code is None else "killed" if code else "survived"
    failed = [test for test, (outcome, _) in copy.results().items() if outcome == "failed"]
    mutant.killed_by = failed[0] if failed else f"pytest ended with {code}" if code else ""
    if code and failed and failed[0] in mutant.tests:
        before = mutant.tests[: mutant.tests.index(failed[0]) + 1]
        if copy.pytest("-x", tests=before, timeout=timeout):  # it passed the control only among other tests
            print(f"left out, fails without any change after {len(before) - 1} other tests: {failed[0]}", flush=True)
            mutant.tests.remove(failed[0])
            try_out(mutant, copy, timeout)


def contents_key() -> str:
    """A short name for the commit and the contents of `lcbench/` and `tests/`."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, check=False).stdout
    digest = hashlib.sha256(head)
    for path in sorted([*ROOT.glob("lcbench/**/*"), *ROOT.glob("tests/**/*")]):
        if path.is_file() and path.suffix != ".pyc" and path != Path(__file__).resolve():
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other mutants")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many are tried at a time")
    parser.add_argument("--most-tests", type=int, default=60, help="tests per mutant, at most")
    parser.add_argument("--timeout", type=float, default=120, help="seconds per mutant; then it counts as killed")
    parser.add_argument("--cache", type=Path, help="where the recorded run is kept (a temporary folder)")
    parser.add_argument("--out", type=Path, help="a JSON file with all mutants, their tests and what killed them")
    options = parser.parse_args()
    began = time.monotonic()
    mutants = pick_mutants(options.count, options.seed)
    cache = (options.cache or Path(tempfile.gettempdir(), f"lcbench-tests-{contents_key()}")).resolve()
    with tempfile.TemporaryDirectory(prefix="lcbench-mutants-", ignore_cleanup_errors=True) as folder:
        copies = [Copy(Path(folder).resolve() / str(number)) for number in range(options.jobs)]
        recording = Recording(cache, copies)
        for mutant in mutants:
            mutant.tests = recording.choose(mutant, options.most_tests, options.timeout / 3)
        bad = control({test for mutant in mutants for test in mutant.tests}, copies, cache)

        def work(mutant: Mutant) -> Mutant:
            mutant.tests = [test for test in mutant.tests if test not in bad]
            copy = copies.pop()  # there are as many as threads
            try_out(mutant, copy, options.timeout)
            copies.append(copy)
            return mutant

        with ThreadPoolExecutor(options.jobs) as pool:
            for number, mutant in enumerate(pool.map(work, mutants), start=1):
                print(f"{number:3} {mutant.outcome:8} {mutant}", flush=True)
    survivors = [mutant for mutant in mutants if mutant.outcome.startswith("survived")]
    killed, share = len(mutants) - len(survivors), 1 - len(survivors) / max(len(mutants), 1)
    print(f"\n{killed} of {len(mutants)} mutants killed ({100 * share:.0f} %)")
    print(f"in {time.monotonic() - began:.0f} seconds. Survivors:")
    for mutant in survivors:
        print(f"{mutant.outcome}: {mutant}")
    if options.out:
        options.out.write_text(json.dumps([asdict(mutant) for mutant in mutants], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The runs whose ids and labels are pinned, and the small streams that some of them read.

`make_golden.py` writes down what these runs give, `test_golden.py` compares. Both use the public names of `lcbench` and
its command line alone, so that modules may be moved without touching either.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import AgglomerativeClustering, Birch

import lcbench
import lcbench_baselines

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "shared"))

from typed_commands import called  # noqa: E402

RUNS = HERE / "runs.json"
RESULTS = HERE / "results-0.1"

METHODS = (
    "kmeans", "pooled-kmeans", "random", "one-cluster", "mbc", "smbc", "smkc", "mtsc", "mtcmrl", "lssmtc", "l2sc",
    "stsc", "usc", "onestepsc", "tsc", "cpsc", "mini-batch-kmeans", "river-kmeans",
)  # fmt: skip
STREAMS = {
    "digits": "digits:tasks=3",
    "topics": "topics:tasks=2,documents=60,words=300,seed=5",
    "webkb4-sim": "webkb4-sim",
}  # those that need no download, as small as makes sense
REAL_STREAMS = (
    "webkb4", "reuters", "20newsgroups:weighting=sublinear-tfidf,idf=task", "20ng-same", "reuters-12:idf=task",
    "mnist10", "mnist-rot:step=4.5", "mnist-slide:tasks=5", "vowel", "watch:window=50",
)  # fmt: skip

RENAMED = {
    "forward_transfer": "average_before_learning",
    "learning_transfer": "learning_gain",
    "partition_drift": "partition_agreement",
}  # figures of 0.1, whose formulas kept their ids
GONE = {"first_task_gain": "first-minus-alone"}  # figures of 0.1 that there are no more, and their formulas

SMALL = "digits:tasks=2,per_class=10"
SMALL_OF_THREE = "digits:tasks=3,per_class=10"
PARAMETERS = (
    "l2sc:lam=10", "l2sc:mu=0", "l2sc:solver=paper", "l2sc:l21=theta", "l2sc:l21=sparse,mu=0.5", "l2sc:encoding=frozen",
    "l2sc:k=6,k_final=library", "l2sc:affinity=full,lam=100", "l2sc:max_iter=3,tol=0", "l2sc:k=70",
    "stsc:affinity=full", "stsc:affinity=binary,n_neighbors=5", "stsc:metric=euclidean,sigma=20",
    "stsc:normalize_rows=false", "kmeans:unit_rows=false", "kmeans:n_init=2,max_iter=5", "mbc:divergence=kl",
    "smbc:lam=0.1", "smkc:kernel=gaussian", "mtsc:discretize=rotation", "lssmtc:subspace=eye", "usc:affinity=full",
    "tsc:solver=author",
)  # fmt: skip
ALWAYS_ALIKE = ("random", "one-cluster", "halves", "weighted")  # their labels depend on no numerical library
WITH_SCORES = ("every method", "tuned", "arrays")  # groups that start so have their averages pinned too
NEEDS_WEBKB = "webkb4"
NEEDS_SAME_VERSIONS = "estimators of scikit-learn"  # their ids hold a hash of the estimator, and so of its version
IN_PROCESSES = (
    "every method on digits",
    "two threads",
    "arrays in memory, an instance of a class",
    NEEDS_SAME_VERSIONS,
)

ON_DIGITS = ["--stream", "digits:tasks=3", "--order", "random"]
RANDOM_ORDERS = ["run", "-m", "l2sc", "-m", "stsc", "-m", "kmeans", "-m", "random", *ON_DIGITS, "--repeats", "3"]
REPRODUCTION = ["reproduce", "webkb4", "-m", "stSC", "-m", "L2SC", "--repeats", "3", "--jobs", "1", "--format", "csv"]
PAPER_TABLE = "a paper's table"
FOLDER_COMMANDS = {
    "random orders": RANDOM_ORDERS,
    "a refusal": ["run", "-m", "l2sc:k=70", *ON_DIGITS, "--no-baseline"],
    "tuned": ["run", "-m", "l2sc", "-s", "digits:tasks=2", "--grid", "l2sc.lam=1,10", "--tune", "silhouette"],
    PAPER_TABLE: REPRODUCTION,
}  # those that made the results folder
LEARN_ALONE = {"random orders": "l2sc", "a refusal": "l2sc:k=70", "tuned": "l2sc (silhouette)"}
EXIT_CODES = {"a refusal": 1}
TABLES = {
    "compare.csv": ["compare", "--against", "stsc", "--format", "csv"],
    "reproduce.csv": REPRODUCTION,
    "export.csv": ["results", "export", "-", "--format", "csv", "--method", "kmeans", "--method", "l2sc:k=70"],
    "export.json": ["results", "export", "-", "--format", "json", "--method", "l2sc (silhouette)"],
}  # what is written from the results folder


class Halves(lcbench.Clusterer):
    """Cuts the samples of a task into equal parts by their weighted sum: a method as a user would pass it."""

    setting = lcbench.Setting.SINGLE_TASK
    predicts_unseen = True

    def __init__(self, weight: float = 1.0) -> None:
        self.weight = weight

    def partial_fit(self, task: lcbench.Task) -> Halves:
        self.labels_ = self.predict(task)
        return self

    def predict(self, task: lcbench.Task) -> Any:
        X = task.X.toarray() if sparse.issparse(task.X) else task.X
        sums = [sum(self.weight**i * value for i, value in enumerate(row)) for row in X.tolist()]
        ranks = {i: rank for rank, i in enumerate(sorted(range(len(sums)), key=sums.__getitem__))}
        return np.array([ranks[i] * task.n_clusters // task.n_samples for i in range(len(sums))])


def experiments(folder: Path) -> dict[str, dict[str, Any]]:
    """The arguments of `lcbench.run` for each group of runs; `folder` is where `write_streams` wrote."""
    of_three = {"methods": ["l2sc", "kmeans", "random"], "streams": SMALL_OF_THREE}
    grid = {"l2sc": {"lam": [0.1, 1, 10]}}
    tuned = {"methods": ["l2sc", "random"], "streams": SMALL, "grid": grid, "order": "random", "repeats": 2}
    return {
        "every method on digits": {"methods": METHODS, "streams": STREAMS["digits"]},
        "every method on topics": {"methods": METHODS, "streams": STREAMS["topics"]},
        "every method on webkb4-sim, tasks listed": {
            "methods": METHODS, "streams": STREAMS["webkb4-sim"], "order": ["texas", "cornell"],
        },
        "parameters of methods": {"methods": PARAMETERS, "streams": SMALL},
        "parameters of streams": {
            "methods": ["l2sc", "random"],
            "streams": [
                'digits:tasks=2,classes="1,4,7",seed=3', "topics:tasks=2,documents=40,words=200,relatedness=0",
                "topics:tasks=2,clusters=3,documents=40,words=200,length=30,private=0.3,signal=0.5",
                "webkb4-sim:seed=1",
            ],
        },
        "aliases, no baselines": {
            "methods": {"strong": "l2sc:lam=10", "control": "random"}, "streams": {"mine": SMALL}, "baselines": False,
        },
        "random orders, three repeats, seed 7": {**of_three, "order": "random", "repeats": 3, "seed": 7},
        "fixed order, two repeats": {**of_three, "repeats": 2},
        "all orders": {**of_three, "methods": ["stsc", "random"], "order": "all"},
        "leave one out": {**of_three, "methods": ["l2sc", "random"], "order": "leave-one-out", "repeats": 2, "seed": 1},
        "scored after the last task": {**of_three, "evaluate": "last"},
        "scored after every second task, future tasks too": {**of_three, "evaluate": "every:2", "future": True},
        "future tasks": {**of_three, "methods": ["kmeans", "mbc", "l2sc", "usc", "random"], "future": True},
        "two threads": {**of_three, "threads": 2},
        "a grid of lists": {
            "methods": ["l2sc", "l2sc:lam=5"], "streams": SMALL,
            "grid": {"l2sc": {"lam": [0.1, 1, 10], "n_neighbors": [5, 10]}},
        },
        "tuned by oracle": {**tuned, "tune": "oracle"},
        "tuned by first-task": {**tuned, "tune": "first-task", "tune_metric": "nmi"},
        "tuned by silhouette": {**tuned, "tune": "silhouette"},
        "folders": {
            "methods": ["l2sc", "kmeans", "random"],
            "streams": [
                folder / "golden-arrays", f"{folder}/golden-arrays:clusters=2", f"{folder}/golden-tables:label=topic",
                f"{folder}/golden-texts", f"{folder}/golden-texts:weighting=counts,max_features=10",
            ],
        },
        "arrays in memory, an instance of a class": {
            "methods": {"halves": Halves(), "weighted": Halves(weight=2.0), "l2sc": "l2sc", "random": "random"},
            "streams": array_streams(),
        },
        NEEDS_SAME_VERSIONS: {
            "methods": {
                "ward": lcbench_baselines.SingleTask(AgglomerativeClustering()),
                "pooled birch": lcbench_baselines.Pooled(Birch(threshold=10)),
            },
            "streams": SMALL,
        },
        NEEDS_WEBKB: {
            "methods": ["stsc", "l2sc", "l2sc:affinity=full,lam=100", "random"],
            "streams": ["webkb4", "webkb4:weighting=counts", "webkb4:idf=task,max_features=500"],
        },
    }  # fmt: skip


def commands(folder: Path) -> dict[str, list[str]]:
    """Command lines that list runs and run nothing: they give ids where there are no data."""
    methods = [word for name in METHODS for word in ("--method", name)]
    streams = [word for name in REAL_STREAMS for word in ("--stream", name)]
    orders = ["--order", "random", "--seed", "3"]
    grids = ["--grid", "l2sc.mu=paper", "--grid", "l2sc.n_neighbors=5,20"]
    return {
        "ids on streams to download": ["run", *methods, *streams, *orders, "--no-solo", "--dry-run", "--json"],
        "ids of a grid of the paper and a list": [
            "run",
            "-m",
            "l2sc",
            "-s",
            SMALL,
            *grids,
            "--no-solo",
            "--dry-run",
            "--json",
        ],
        "ids of an experiment file": ["run", str(folder / "experiment.toml"), "--no-solo", "--dry-run", "--json"],
        "ids on an imported folder": ["run", "-m", "stsc", "-s", "./golden-import", "--dry-run", "--json"],
        **{
            f"ids of the protocol for {stream}": ["reproduce", stream, "--repeats", "1", "--dry-run"]
            for stream in ("webkb4", "reuters", "20newsgroups")
        },
    }


def lcbench_command(*words: str, folder: Path | str, ends: int = 0, **variables: str) -> str:
    """What the command line prints in `folder`, with a cache of its own there and without a network.

    It is called in this process, which has imported what it needs; runs have processes of their own all the same.
    """
    folder = Path(folder)
    variables = {"COLUMNS": "300", "LCBENCH_CACHE": str(folder / "cache"), "LCBENCH_OFFLINE": "1", **variables}
    environment = {key: value for key, value in os.environ.items() if key != "LCBENCH_DATA"} | variables
    done = called(["lcbench", *words], folder, environment)
    assert done.returncode == ends, f"lcbench {' '.join(words)} ended with {done.returncode}: {done.stderr}"
    return done.stdout


def run_group(group: str, folder: Path | str) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """What a group of runs gives, a line for each run, and the machine where something was run."""
    folder = Path(folder)
    if group in commands(folder):
        return _listed(commands(folder)[group], folder), None
    # a process for every run takes longer than most of these runs, and gives the same labels, as some groups show
    executor = None if group in IN_PROCESSES else lcbench.InProcess()
    results = lcbench.run(**experiments(folder)[group], executor=executor, solo=False)  # 0.1 knew no solo runs
    scored = group.startswith(WITH_SCORES)
    lines = [_line(run, scored=scored) for run in (*results.searched, *results.runs)]
    return lines, machine(results.runs[0].environment)


def _listed(words: list[str], folder: Path) -> list[dict[str, Any]]:
    text = lcbench_command(*words, folder=folder)
    if "--json" in words:
        runs = [json.loads(line) for line in text.splitlines()]
        return [{"run": _name(r["method"], r["stream"], r["order"], r["repeat"]), "id": r["run_id"]} for r in runs]
    found = re.findall(r"^(\S+)  (.+): \d+ runs?, .*\n((?:  .*\n)+)", text, flags=re.MULTILINE)
    return [
        {"run": f"{stream} | {method} | {' | '.join(run)}", "id": short}
        for stream, method, runs in found
        for short, _, *run in (line.strip().split("  ") for line in runs.splitlines())
    ]


def _line(run: Any, *, scored: bool) -> dict[str, Any]:
    line = {"run": _name(run.label, run.stream_label, run.order, run.repeat), "id": run.run_id}
    line |= {"status": run.status} if run.status != "ok" else {}
    line |= {"labels": run.labels_digest} if run.labels_digest else {}
    if scored:
        averages = {metric: figures["average_after_all"]["value"] for metric, figures in run.summary.items()}
        line |= {"averages": {metric: round(value, 6) for metric, value in averages.items() if value is not None}}
    return line | ({"chosen": run.choice["params"], "from": run.choice["run_id"]} if run.choice else {})


def _name(label: str, stream: str, order: Any, repeat: int) -> str:
    return f"{label} | {stream} | {','.join(order)} | repeat {repeat}"


def this_machine() -> dict[str, Any]:
    """What may change a label here."""
    return machine(lcbench.run("one-cluster", SMALL).runs[0].environment)


def machine(environment: dict[str, Any]) -> dict[str, Any]:
    """What of the environment of a run may change a label: the numerical packages and the kernels of the CPU."""
    facts = {name: environment["packages"][name] for name in ("numpy", "scipy", "scikit-learn")}
    libraries = [" ".join(str(v) for v in library.values() if v) for library in environment["libraries"]]
    return {**facts, "machine": environment["machine"], "simd": environment["simd"], "libraries": sorted(libraries)}


def write_streams(folder: Path) -> None:
    """Write the folders that are streams, the same bytes on every machine, and an experiment file."""
    generator = random.Random(0)
    arrays, tables, texts = (folder / f"golden-{kind}" for kind in ("arrays", "tables", "texts"))
    for each in (arrays, tables, texts):
        each.mkdir(parents=True)
    for name in ("task-2", "task-10"):
        X, y = _samples(generator, 36, 6, 3)
        _write_npz(arrays / f"{name}.npz", X=X, y=y)
    for name in ("monday", "tuesday"):
        X, y = _samples(generator, 30, 4, 2)
        rows = [",".join([*(f"{value:.3f}" for value in row), f"class-{c}"]) for row, c in zip(X, y, strict=True)]
        _write(tables / f"{name}.csv", "\n".join(["a,b,c,d,topic", *rows, ""]))
    shutil.copytree(tables, folder / "golden-import")
    _write(folder / "golden-import" / "stream.toml", 'label = "topic"\n')
    own = {"plants": "leaf root stem flower", "tools": "hammer nail saw drill", "sky": "moon star cloud comet"}
    for task in ("2019", "2020"):
        for cluster, words in own.items():
            for number in range(8):
                chosen = [generator.choice(words.split() * 2 + ["thing", "day"]) for _ in range(12)]
                _write(texts / task / cluster / f"{number}.txt", " ".join(chosen))
    _write(texts / "stream.toml", '[text]\nmin_df = 1\nstop_words = "none"\n')
    experiment = (
        'methods = ["l2sc", "strong=l2sc:lam=50", "kmeans"]',
        f'streams = ["{SMALL}", "./golden-tables:label=topic"]',
        'order = "random"',
        "repeats = 2",
        "seed = 4",
        'evaluate = "every:2"',
        "threads = 2",
        "[grid.l2sc]",
        "n_neighbors = [5, 10]",
    )
    _write(folder / "experiment.toml", "\n".join([*experiment, ""]))


def array_streams() -> list[lcbench.TaskStream]:
    """Streams that a program makes: dense, sparse, and without labels."""
    generator = random.Random(1)
    tasks = {name: _samples(generator, 30, 6, 3) for name in ("first", "second")}
    thin = {name: (sparse.csr_array(np.where(X > 0.7, X, 0.0)), y) for name, (X, y) in tasks.items()}
    bare = {name: (X, None) for name, (X, _) in tasks.items()}
    return [
        lcbench.TaskStream.from_arrays("golden-dense", tasks),
        lcbench.TaskStream.from_arrays("golden-sparse", thin),
        lcbench.TaskStream.from_arrays("golden-bare", bare, clusters=3),
    ]


def _samples(generator: random.Random, n: int, d: int, k: int) -> tuple[Any, Any]:
    """Samples of `k` classes, each large in features of its own."""
    y = [i % k for i in range(n)]
    X = [[generator.random() + (2.0 if j % k == c else 0.0) for j in range(d)] for c in y]
    return np.array(X), np.array(y, dtype=np.int64)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())


def _write_npz(file: Path, **arrays: Any) -> None:
    """An archive as `numpy.savez` makes it, but with nothing in it that depends on the system."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.create_system = 3
            content = io.BytesIO()
            np.save(content, array)
            archive.writestr(entry, content.getvalue())

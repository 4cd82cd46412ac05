"""One large task learned in a process of its own: `python tests/benchmarks/large_tasks.py documents 100000 stsc`.

Prints as JSON the CPU seconds, the memory above that of the data in GB and, for stsc, the recall of its ten neighbours.
Images are those of Debian's package `dataset-fashion-mnist`.
"""

from __future__ import annotations

import gzip
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import lcbench
from lcbench_spectral.approximate import approximate_pairs
from lcbench_spectral.scaling import unit_rows

IMAGES = Path("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz")
WORDS, CLUSTERS, PARTS, LENGTH = 50_000, 20, 50, 80
COMPARED = 500  # rows whose neighbours are also found among all


def documents(n: int) -> Any:
    """Weighted words of n documents: some from one of 1,000 subtopics, more from one of 20 topics, others common.

    Ranks of words in each have chances 1/rank; weights are tf ln(n/df).
    """
    generator = np.random.default_rng(0)
    topic = generator.integers(CLUSTERS, size=n)
    part = topic * PARTS + generator.integers(PARTS, size=n)
    own, shared = (
        generator.integers(WORDS, size=(CLUSTERS * PARTS, 200)),
        generator.integers(WORDS, size=(CLUSTERS, 2000)),
    )
    common = generator.permutation(WORDS)
    document = np.repeat(np.arange(n), 20 + generator.poisson(LENGTH - 20, size=n))

    def rank(most: int) -> Any:
        return (most ** generator.random(len(document))).astype(np.int64) - 1

    kind = generator.random(len(document))
    word = np.where(
        kind < 0.2,
        own[part[document], rank(200)],
        np.where(kind < 0.6, shared[topic[document], rank(2000)], common[rank(WORDS)]),
    )
    X = sparse.csr_array((np.ones(len(document)), (document, word)), shape=(n, WORDS))
    X.sum_duplicates()
    X.data *= np.log(n / np.bincount(X.indices, minlength=WORDS)[X.indices])
    return X


def images(n: int) -> Any:
    """The first n images of Fashion-MNIST, values from 0 to 1."""
    raw = np.frombuffer(gzip.decompress(IMAGES.read_bytes()), np.uint8, offset=16)
    return raw.reshape(-1, 784)[:n] / 255.0


def recall(X: Any) -> float:
    """The share of the ten nearest rows that the approximate search finds, for some rows."""
    X = unit_rows(X)
    n = X.shape[0]
    found = approximate_pairs(X, 10, unit=True)[1].reshape(n, 10)
    hits = 0
    for row in np.random.default_rng(1).choice(n, COMPARED, replace=False):
        cosines = X[[row]] @ X.T
        cosines = np.asarray(cosines.toarray() if sparse.issparse(cosines) else cosines).ravel()
        cosines[row] = -1.0
        hits += len({*np.argpartition(-cosines, 9)[:10].tolist()} & {*found[row].tolist()})
    return hits / (10 * COMPARED)


def gigabytes() -> float:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    """Learn a task and print what it took."""
    what, n, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    X = {"documents": documents, "images": images}[what](n)
    task = lcbench.Task(what, X, CLUSTERS if what == "documents" else 10)
    method = lcbench.load_method(f"{name}:neighbors=approximate")
    before, start = gigabytes(), time.process_time()
    method.partial_fit(task)
    told = {"seconds": time.process_time() - start, "gigabytes": gigabytes() - before}
    if name == "stsc" and len(sys.argv) > 4:
        told["recall"] = recall(X)
    print(json.dumps(told))


if __name__ == "__main__":
    main()

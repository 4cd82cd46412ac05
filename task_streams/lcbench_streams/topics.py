"""The streams `topics` and `webkb4-sim`: bags of words drawn from a topic model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lcbench import FloatArray, LabelledTask, ParameterError, TaskStream, derive_seed
from lcbench_streams import TOPICS, WEBKB4_CLASSES, WEBKB4_SIM, WEBKB4_SIZES, WEBKB4_WORDS, topics_shapes

TOPIC_SHAPE = 0.1  # of the gamma factors that make a topic out of the background: small is peaked
SIGNAL_SPREAD = 4.0  # a document's own signal is Beta with this total: small means documents differ much
LENGTH_SPREAD = 2.0  # of the gamma factors of the lengths


@dataclass(kw_only=True)
class TopicModel:
    """Documents of task t and cluster c draw their words from

        private * π_t + (1 - private) * [s * φ_tc + (1 - s) * b]

    with a Zipf background b, words π_t of the task's own, and a signal s drawn anew for each document around its mean.
    A topic φ_tc is the background with every word up or down by a gamma factor; for a share `relatedness` of the words
    these factors are the same in all tasks, for the others they are the task's own. So the difficulty of a single task
    does not depend on the relatedness.
    """

    clusters: int
    words: int
    length: int
    relatedness: float
    private: float
    signal: float
    seed: int

    def __post_init__(self) -> None:
        shared = np.random.default_rng(derive_seed("topics", self.seed))
        self.background: FloatArray = shared.permutation(1.0 / np.arange(1, self.words + 1) ** 0.8)
        self.background /= self.background.sum()
        self.factors = self._factors(shared, self.clusters)

    def _factors(self, generator: np.random.Generator, count: int) -> FloatArray:
        factors: FloatArray = generator.gamma(TOPIC_SHAPE, size=(count, len(self.background))) + 1e-12
        return factors

    def _distributions(self, factors: FloatArray) -> FloatArray:
        weighted = factors * self.background
        distributions: FloatArray = weighted / weighted.sum(axis=1, keepdims=True)
        return distributions

    def task(self, name: str, number: int, sizes: Sequence[int], classes: Sequence[str] = ()) -> LabelledTask:
        """The task with `sizes[c]` documents in cluster c, which may have a name.

        It depends on its number, not on how many tasks there are.
        """
        generator = np.random.default_rng(derive_seed("topics", self.seed, number))
        common = generator.random(len(self.background)) < self.relatedness
        topics = self._distributions(np.where(common, self.factors, self._factors(generator, self.clusters)))
        own = self._distributions(self._factors(generator, 1))
        y = generator.permutation(np.repeat(np.arange(self.clusters), sizes))
        total = SIGNAL_SPREAD
        signal = self.signal * np.ones(len(y))
        if 0 < self.signal < 1:
            signal = generator.beta(self.signal * total, (1 - self.signal) * total, size=len(y))
        clustered = signal[:, None] * topics[y] + (1 - signal)[:, None] * self.background
        chances = self.private * own + (1 - self.private) * clustered
        lengths = 1 + generator.poisson(self.length * generator.gamma(LENGTH_SPREAD, 1 / LENGTH_SPREAD, len(y)))
        counts = generator.multinomial(lengths, chances / chances.sum(axis=1, keepdims=True))
        named = np.asarray(classes)[y] if classes else y
        return LabelledTask.from_arrays(name, sparse.csr_array(counts.astype(np.float64)), named)


class Topics(TaskStream):
    """Tasks of equal size from a topic model; see `TopicModel`."""

    name = "topics"
    card = TOPICS.card

    def __init__(
        self,
        *,
        tasks: int = 4,
        clusters: int = 4,
        documents: int = 200,
        words: int = 1000,
        length: int = 80,
        relatedness: float = 0.9,
        private: float = 0.1,
        signal: float = 0.3,
        seed: int = 0,
    ) -> None:
        self.n_tasks = tasks
        self.clusters = clusters
        self.documents = documents
        self.words = words
        self.length = length
        self.relatedness = relatedness
        self.private = private
        self.signal = signal
        self.seed = seed

    def tasks(self) -> tuple[LabelledTask, ...]:
        """The tasks; the sizes of their clusters differ by one document at most."""
        for name in ("relatedness", "private", "signal"):
            if not 0 <= getattr(self, name) <= 1:
                raise ParameterError(
                    f"Stream 'topics': {name} takes a number from 0 to 1, not {getattr(self, name):g}."
                )
        if self.documents < self.clusters:
            raise ParameterError(
                f"Stream 'topics': {self.clusters} clusters need at least as many documents, not {self.documents}."
            )
        model = TopicModel(
            clusters=self.clusters, words=self.words, length=self.length, relatedness=self.relatedness,
            private=self.private, signal=self.signal, seed=self.seed,
        )  # fmt: skip
        sizes = [len(part) for part in np.array_split(np.arange(self.documents), self.clusters)]
        params: Mapping[str, int] = {
            "tasks": self.n_tasks, "documents": self.documents, "words": self.words, "clusters": self.clusters,
        }  # fmt: skip
        return tuple(model.task(shape.name, t, sizes) for t, shape in enumerate(topics_shapes(params)))


class WebKB4Sim(TaskStream):
    """Simulated documents with the class sizes of WebKB4. Not WebKB4."""

    name = "webkb4-sim"
    card = WEBKB4_SIM.card

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    def tasks(self) -> tuple[LabelledTask, ...]:
        """The four tasks."""
        model = TopicModel(
            clusters=4,
            words=WEBKB4_WORDS,
            length=100,
            relatedness=0.9,
            private=0.1,
            signal=0.23,
            seed=self.seed,
        )
        sizes = enumerate(WEBKB4_SIZES.items())
        return tuple(model.task(name, t, counts, WEBKB4_CLASSES) for t, (name, counts) in sizes)

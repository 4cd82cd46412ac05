"""A method that keeps the contract, which broken ones are made from, and two that refuse tasks as they may."""

import numpy as np
from scipy import sparse

from lcbench import Clusterer, Setting, UnknownTaskError, UnsuitableTaskError


class Sound(Clusterer):
    """Clusters by centres that are far from each other; remembers the names of tasks and the last centres."""

    setting = Setting.LIFELONG

    def __init__(self, *, share=0.5, random_state=0):
        self.share = share
        self.random_state = random_state

    def partial_fit(self, task):
        self.names_ = (*getattr(self, "names_", ()), task.name)
        self.labels_ = self.cluster(task)
        return self

    def predict(self, task):
        if task.name not in self.names_:
            raise UnknownTaskError(f"never learned {task.name}")
        return self.cluster(task)

    def cluster(self, task):
        X = task.X.toarray() if sparse.issparse(task.X) else task.X
        centres = [X[0]]
        while len(centres) < task.n_clusters:
            centres.append(X[np.argmax(distances(X, centres).min(axis=1))])
        return distances(X, centres).argmin(axis=1)


def distances(X, centres):
    return np.stack([np.linalg.norm(X - centre, axis=1) for centre in centres], axis=1)


class Refuses(Sound):
    def cluster(self, task):
        raise UnsuitableTaskError("not this one")


class TakesThirtyFeatures(Sound):
    def cluster(self, task):
        if task.n_features != 30:
            raise UnsuitableTaskError("it takes 30 features")
        return super().cluster(task)

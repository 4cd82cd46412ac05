from __future__ import annotations

import pytest
from sklearn.metrics import adjusted_rand_score as agreement

from lcbench_spectral.stsc import StSC


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
def test_it_agrees_with_scikit_learns_spectral_clustering_on_separated_data(make_task):
    from sklearn.cluster import SpectralClustering

    labelled = make_task("a", n=90)
    theirs = SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=10, random_state=0)
    assert agreement(theirs.fit_predict(labelled.task.X), StSC().predict(labelled.task)) == 1.0

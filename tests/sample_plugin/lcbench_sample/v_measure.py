"""A metric."""

from sklearn.metrics import v_measure_score

from lcbench import ExternalMetric


class VMeasure(ExternalMetric):
    """The harmonic mean of homogeneity and completeness."""

    def score(self, table):
        return v_measure_score(table.y, table.labels)

from __future__ import annotations

import lcbench
from lcbench.contract.specs import MethodSpec


def test_what_is_installed_is_listed_as_specs_that_print_as_a_table():
    methods = lcbench.list_methods()
    assert {"l2sc", "stsc", "kmeans"} <= set(methods.names)
    assert all(isinstance(spec, MethodSpec) for spec in methods)
    assert "Lifelong Spectral Clustering" in repr(methods)
    assert "Lifelong Spectral Clustering" in methods._repr_html_()
    assert {"digits", "topics"} <= set(lcbench.list_streams().names)
    assert {"nmi", "purity"} <= set(lcbench.list_metrics().names)

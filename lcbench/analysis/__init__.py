"""Compares stored runs: selection, scores, differences, ranks, printed figures."""

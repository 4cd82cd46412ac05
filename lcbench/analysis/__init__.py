"""Compares stored runs: selection, scores, transfer, differences, ranks, printed figures."""

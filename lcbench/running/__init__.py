"""Carries out runs: the loop over tasks, processes of their own, limits, scoring."""

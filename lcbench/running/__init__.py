"""Carries out runs: the loop over tasks, worker processes, time and memory limits."""

"""Intervals, tests and ranks for comparing methods."""

"""Runs on disk: one JSON file per run with its labels beside it, and an index over them."""

DEFAULT_FOLDER = "lcbench-results"

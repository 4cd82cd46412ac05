"""Run records: scores and formulas, and their files with labels and an index."""

DEFAULT_FOLDER = "lcbench-results"

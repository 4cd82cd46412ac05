"""Builds the board of `lcbench board build`: a page, and its figures as CSV and JSON."""

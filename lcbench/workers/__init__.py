"""Processes that carry out runs, which the parent can stop, and the data they share."""

"""Finds installed plugins, and the methods, streams, metrics and suites they register."""

"""Finds installed plugins, and the methods, streams and metrics they register."""

"""Streams of documents that a TOML recipe describes, with their words counted."""

"""Streams that a TOML file describes: raw documents, tasks, clusters, words."""

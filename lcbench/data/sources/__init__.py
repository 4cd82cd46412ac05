"""data.sources."""

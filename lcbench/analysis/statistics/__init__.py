"""analysis.statistics."""

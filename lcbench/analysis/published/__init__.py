"""analysis.published."""

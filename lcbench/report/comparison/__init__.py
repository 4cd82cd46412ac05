"""report.comparison."""

"""report.figures."""

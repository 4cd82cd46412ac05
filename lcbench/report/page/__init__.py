"""report.page."""

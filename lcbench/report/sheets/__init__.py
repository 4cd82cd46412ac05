"""report.sheets."""

"""report.reproduction."""

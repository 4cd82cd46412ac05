"""Turns runs and comparisons into tables, figures, CSV files and an HTML page."""

"""data.text."""

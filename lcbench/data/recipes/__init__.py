"""data.recipes."""

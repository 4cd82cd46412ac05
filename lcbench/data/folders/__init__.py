"""data.folders."""

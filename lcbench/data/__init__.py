"""Finds, downloads, checks and caches data, and turns them into task streams."""

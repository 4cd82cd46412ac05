"""Figures printed in papers: read, checked, and compared with our own runs."""

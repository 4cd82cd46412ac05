"""Figures made from stored runs: what is drawn as plain data, and the drawing of it."""

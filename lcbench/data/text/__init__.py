"""Turns texts into matrices: words are counted, then weighted."""

"""Builds and draws the figures of `lcbench plot`, one file for each kind of figure."""

"""Builds and draws the figures of `lcbench plot`, of every kind in the folder `kinds`."""

"""Builds the HTML page of `lcbench report`: curves, tables and commands in one file."""

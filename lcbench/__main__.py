"""Starts the command line for `python -m lcbench`."""

from lcbench.cli import main

main()

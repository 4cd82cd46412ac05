"""`python -m lcbench`."""

from lcbench.cli import main

main()

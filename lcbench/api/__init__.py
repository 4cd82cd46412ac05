"""The Python interface: run experiments, load results, compare methods."""

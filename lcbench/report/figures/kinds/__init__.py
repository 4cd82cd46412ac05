"""The kinds of figures of `lcbench plot`: each file is all that there is to one kind."""

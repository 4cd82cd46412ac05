"""A module that another one imports, and that data can be hidden in."""

SECRETS = []

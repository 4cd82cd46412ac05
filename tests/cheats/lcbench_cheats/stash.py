"""A module whose global list can hide data."""

SECRETS = []

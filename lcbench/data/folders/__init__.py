"""Turns a user's own folder of arrays, tables or texts into a task stream."""

"""Submissions: runs of a suite in a folder that strangers can check, and verify by new runs."""

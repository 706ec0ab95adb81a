"""Starts of the user's files for a look: what a change does to an answer, a few requests, a diff."""

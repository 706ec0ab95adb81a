"""Verbs about this machine, what there is to measure on it, and the servers."""

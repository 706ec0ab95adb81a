"""Figures, intervals and verdicts of a record."""

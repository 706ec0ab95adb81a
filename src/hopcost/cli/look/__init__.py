"""Verbs that show what was measured, and what would be."""

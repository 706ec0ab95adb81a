"""Servers that run already: found, asked, watched, perhaps frozen, and never started or stopped."""

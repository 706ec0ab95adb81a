"""Servers that can be hops: their settings, whether they are installed, how they are built."""

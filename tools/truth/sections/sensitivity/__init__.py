"""Whether a known difference is seen: an origin that is dearer by a known amount of work."""

"""docs/results: what is run for it, and its pages."""

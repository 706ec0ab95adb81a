"""A block: which comes next, how long it is, and how it is measured."""

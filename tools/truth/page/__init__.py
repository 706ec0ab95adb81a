"""The page: docs/explain/truth.md, its sections' parts, and what it says first."""

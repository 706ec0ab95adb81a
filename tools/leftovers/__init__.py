"""`make leftovers`: runs are interrupted and killed at random moments, and what is left of each is counted."""

"""Experiments with a table of their own: a soak, an article's repeats, restarts, what a hop buys."""

"""One start after the other, until nginx runs: what it complains of, and what is done about it."""

"""Arms in which nothing differs: hopcost must not see a difference."""

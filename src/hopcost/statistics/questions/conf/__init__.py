"""What the directives of an nginx.conf cost: a screening of what the load can show, and what was confirmed of it."""

"""What the page of the articles' claims has of each suite: its judged claims, and plain runs beside them."""

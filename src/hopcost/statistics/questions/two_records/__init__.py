"""Two records side by side: whether that can be, and what changed from one to the other."""

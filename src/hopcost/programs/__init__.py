"""Programs that hopcost starts: servers that can be hops, how they are set and built, and what makes the load."""

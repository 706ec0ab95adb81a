"""How programs that are made from source are built, and where they are kept."""

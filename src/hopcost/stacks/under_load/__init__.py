"""What is read of a stack while it is loaded: whether its settings work, and whether its workers live."""

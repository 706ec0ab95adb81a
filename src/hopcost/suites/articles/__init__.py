"""What an article says: its claims, and the figures that it printed."""

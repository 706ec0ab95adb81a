"""What is kept of records over time: a database of their figures, on SQLite or PostgreSQL."""

"""The database: where it is, its tables, its migrations, and what goes wrong with it in words."""

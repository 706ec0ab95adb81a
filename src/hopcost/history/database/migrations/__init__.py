"""The steps from an older schema to the newest one, for alembic. One file in `versions` for each; none is changed."""

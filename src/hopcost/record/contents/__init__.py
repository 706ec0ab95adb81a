"""The structures of a record's files."""

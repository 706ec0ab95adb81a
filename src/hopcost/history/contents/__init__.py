"""What of a record is kept: read off its files and its statistics. Pure but for reading the record."""

"""Writes the parts of docs/ and README.md that come out of the code or out of records."""

"""The sections of docs/truth.md, a file each."""

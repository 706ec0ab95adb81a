"""What a run leaves: the structures, the writer, the reader."""

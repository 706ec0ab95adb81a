"""What writes a result: a module or a folder for each format, with `write(result) -> str`."""

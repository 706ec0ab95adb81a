"""Other machines of a run: reached by SSH, given the load engine, read, and left as they were found."""

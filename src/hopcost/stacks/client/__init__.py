"""A stack as its client meets it: an address, a connection, an answer that is checked."""

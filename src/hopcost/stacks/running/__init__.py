"""A stack that hopcost starts: its programs are started, watched, frozen and stopped."""

"""How verbs read their words and show their help: the library's ways, changed a little."""

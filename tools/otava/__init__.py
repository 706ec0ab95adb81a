"""A cross-check of change points with Apache Otava, in an environment of its own: it pins an old numpy."""

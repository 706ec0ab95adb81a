"""The other verbs."""

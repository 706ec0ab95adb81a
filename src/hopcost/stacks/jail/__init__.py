"""The user's own nginx.conf as it is, in a jail: a root folder of its own with all that the configuration names."""

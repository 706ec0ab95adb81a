"""The root folder of a jail: what is in it, and the script that makes it."""

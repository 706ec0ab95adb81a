"""Servers that run already, side by side by `hopcost vs`: sections of the truth's page."""

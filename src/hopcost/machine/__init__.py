"""This machine, read only: facts, CPU time, conditions."""

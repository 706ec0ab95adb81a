"""Where no jail can be made: a rewritten copy of the configuration, with all that it names in the stack's folder."""

"""Load on running stacks: by hopcost's engine, or by a peer."""

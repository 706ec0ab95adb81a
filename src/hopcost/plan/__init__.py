"""What a suite means on this machine: arms, cores, slices, budgets. Nothing is started or read."""

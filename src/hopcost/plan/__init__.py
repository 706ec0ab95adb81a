"""What a suite means on this machine: arms, cores, slices, times. Nothing is started or read."""
